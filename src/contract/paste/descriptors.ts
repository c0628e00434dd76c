/** Share descriptors in a text: as JSON, alone or in a list, or as Python prints the same object. */
import { type DescriptorReading, printDescriptor, readDescriptor } from '#contract/descriptor';
import { decode } from './item';
import { literalAt, NO_VALUE } from './literals';
import type { Token } from './tokens';
import type { Cut, Found, PastedItem } from './types';

/** Where `format` stands, it is among the first names. */
const LOOK_AT = 200;
/** More of one descriptor help nobody. */
const MOST_PROBLEMS = 10;

/** A descriptor at an opening brace; undefined when the object does not say that it is one. */
export function descriptorAt(cut: Cut, index: number): Found<PastedItem> | undefined {
  const { text, tokens } = cut;
  const open = tokens[index] as Token;
  if (!claims(cut, index)) return undefined;
  const { start } = open;
  const next = open.match + 1;
  const { end } = tokens[open.match] as Token;
  const value = literalAt(cut, index);
  if (value === NO_VALUE) {
    const message = 'This says that it is a descriptor, but is neither JSON nor what Python prints.';
    return { next, items: [], problems: [{ message, start, end }] };
  }
  const reading = readDescriptor(value);
  if (!reading.ok) {
    const problems = reading.problems
      .slice(0, MOST_PROBLEMS)
      .map(({ field, message }) => ({ message, ...placeOf(text, field, start, end) }));
    return { next, items: [], problems };
  }
  return { next, items: [itemOfDescriptor(reading, start, end)], problems: [] };
}

/** Whether one of its own names is `format` with the value of a descriptor. */
function claims({ text, tokens }: Cut, index: number): boolean {
  const { match } = tokens[index] as Token;
  let at = index + 1;
  for (let steps = 0; steps < LOOK_AT && at < match; steps++) {
    const token = tokens[at] as Token;
    const value = tokens[at + 2];
    if (token.kind === 'string' && tokens[at + 1]?.text === ':' && value?.kind === 'string') {
      if (inside(text, token) === 'format' && inside(text, value) === 'gpu-ipc-descriptor') return true;
    }
    at = token.match > at ? token.match + 1 : at + 1;
  }
  return false;
}

const inside = (text: string, token: Token): string => text.slice(token.quote + 1, token.end - 1);

/** Where the name of a field stands; the whole descriptor when it is not there. */
function placeOf(text: string, field: string, start: number, end: number): { start: number; end: number } {
  const name = field.split('.').at(-1) ?? '';
  if (name === '' || /^\d+$/.test(name)) return { start, end };
  for (const mark of ['"', "'"]) {
    const at = text.slice(start, end).indexOf(`${mark}${name}${mark}`);
    if (at >= 0) return { start: start + at, end: start + at + name.length + 2 };
  }
  return { start, end };
}

function itemOfDescriptor({ descriptor }: DescriptorReading & { ok: true }, start: number, end: number): PastedItem {
  const { mechanism, exporter, device, dtype, shape, strides, allocationSize, offset, size } = descriptor;
  const handle = descriptor.handle === undefined ? null : bytesOf(descriptor.handle);
  const item = {
    kind: 'descriptor',
    handle,
    source: `Share descriptor (${mechanism})`,
    form: 'json',
    start,
    end,
    pid: exporter.pid,
    device: device.ordinal,
    offset,
    size,
    allocationSize,
    dtype,
    shape,
    strides,
    offsetInBlock: mechanism === 'legacy' && handle !== null ? decode(handle).offsetInBlock : undefined,
    eventHandle: descriptor.event === undefined ? undefined : bytesOf(descriptor.event),
    descriptor: printDescriptor(descriptor),
  };
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as unknown as PastedItem;
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
