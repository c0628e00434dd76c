/** Opening what was chosen: one call for each way. */
import type { CallArgs } from '#contract/calls';
import type { PastedItem } from '#contract/calls/handles';
import { GpuIpcError } from '#contract/result';
import type { DataDescription } from '#contract/values';
import { request } from '../../../lib/api';
import { blocks } from './findings';
import type { ForeignReading } from './foreign';
import { descriptorOf } from './item-facts';
import type { LiveExport } from './live-exports';
import type { CheckArgs } from './use-findings';

/** What is to be opened. */
export type Subject =
  | { readonly from: 'list'; readonly live: LiveExport }
  | {
      readonly from: 'text';
      readonly item: PastedItem;
      readonly as: 'memory' | 'event';
      /** 64 bytes of memory in a pool; `poolId` where it is an imported one. */
      readonly pointer: boolean;
      readonly poolId?: string;
    }
  | { readonly from: 'process'; readonly reading: ForeignReading & { readonly ok: true }; readonly name: string };

/** How it is to be opened. */
export interface How {
  readonly device: number;
  readonly offset: number | undefined;
  readonly length: number | undefined;
  readonly lazy: boolean;
  readonly access: 'read' | 'read-write';
  /** Also the event that a pasted text names beside the memory. */
  readonly withEvent: boolean;
}

const LAZY_PEER_ACCESS = 1;

/** Whether it is an event that is opened. */
export const isEvent = (subject: Subject): boolean =>
  subject.from === 'list' ? subject.live.exported.kind === 'event' : subject.from === 'text' && subject.as === 'event';

/** Whether it is a pool without memory. */
export const isPool = (subject: Subject): boolean =>
  subject.from === 'list'
    ? subject.live.exported.kind === 'pool'
    : subject.from === 'process' && subject.reading.descriptor === undefined;

/** What to ask about before it is opened; undefined where there is nothing to ask. */
export function checkOf(subject: Subject, { device, offset, length }: How): CheckArgs | undefined {
  const view = { device, ...(offset === undefined ? {} : { offset }), ...(length === undefined ? {} : { length }) };
  switch (subject.from) {
    case 'list':
      return isEvent(subject) || isPool(subject)
        ? { exportId: subject.live.exported.id, device }
        : { exportId: subject.live.exported.id, ...view };
    case 'text': {
      const { item, as } = subject;
      if (item.descriptor !== undefined)
        return { descriptor: item.descriptor, ...(as === 'event' ? { device } : view) };
      if (item.handle === null) return undefined;
      return as === 'event' ? { handle: item.handle, as, device } : { handle: item.handle, as, ...view };
    }
    case 'process':
      return subject.reading.descriptor === undefined ? undefined : { descriptor: subject.reading.descriptor, ...view };
  }
}

/** Opens it, and answers the id of what came of it. Throws GpuIpcError. */
export async function make(subject: Subject, how: How, anyway: boolean): Promise<string> {
  await ensureUnblocked(subject, how, anyway);
  const { device, offset, length } = how;
  if (isPool(subject)) {
    const source =
      subject.from === 'list'
        ? { exportId: subject.live.exported.id, label: subject.live.label }
        : subject.from === 'process'
          ? { from: { pid: subject.reading.pid, fd: subject.reading.fd }, label: subject.name }
          : {};
    return (await request('pools.import', { ...source, device })).id;
  }
  if (isEvent(subject)) {
    const source =
      subject.from === 'list'
        ? { exportId: subject.live.exported.id, label: subject.live.label }
        : { handle: (subject.from === 'text' && subject.item.handle) || new Uint8Array() };
    return (await request('events.open', { ...source, device })).id;
  }
  const event = how.withEvent ? eventOf(subject) : undefined;
  const eventId = event && (await request('events.open', { handle: event, device })).id;
  try {
    const data = dataOf(subject, how);
    const args: CallArgs<'imports.open'> = {
      ...sourceOf(subject, how),
      device,
      offset,
      length,
      ...(data === undefined ? {} : { data }),
    };
    return (await request('imports.open', args)).id;
  } catch (thrown) {
    if (eventId !== undefined) await request('events.destroy', { id: eventId });
    throw thrown;
  }
}

function sourceOf(subject: Subject, how: How): Omit<CallArgs<'imports.open'>, 'device' | 'offset' | 'length'> {
  const { access } = how;
  const flags = how.lazy ? LAZY_PEER_ACCESS : 0;
  switch (subject.from) {
    case 'list':
      return { exportId: subject.live.exported.id, label: subject.live.label, access, flags };
    case 'text': {
      const { item, poolId } = subject;
      if (item.descriptor !== undefined) return { descriptor: item.descriptor, access, flags };
      return { handle: item.handle ?? new Uint8Array(), flags, ...(poolId === undefined ? {} : { poolId }) };
    }
    case 'process':
      return { descriptor: subject.reading.descriptor, label: subject.name, access };
  }
}

/** What a text says of the data, for the views; of another part than the text means only what holds for each element. */
export function dataOf(
  subject: Subject,
  { offset, length }: Pick<How, 'offset' | 'length'>,
): DataDescription | undefined {
  if (subject.from !== 'text' || subject.item.dtype === undefined) return undefined;
  const { dtype, shape, strides, ...said } = subject.item;
  const same = (offset ?? 0) === (said.offset ?? 0) && (length ?? said.size) === said.size;
  const byteOrder = descriptorOf(subject.item)?.byteOrder;
  // Strides that are not those of the shape say that one of them was not read.
  const shaped = same && shape !== undefined && (strides === undefined || strides.length === shape.length);
  return {
    dtype,
    ...(shaped ? { shape, ...(strides === undefined ? {} : { strides }) } : {}),
    ...(byteOrder === undefined ? {} : { byteOrder }),
  };
}

/** The event that a text names beside the memory. */
export function eventOf(subject: Subject): Uint8Array<ArrayBuffer> | undefined {
  if (subject.from !== 'text' || subject.as === 'event') return undefined;
  const { eventHandle, eventSyncRequired } = subject.item;
  // PyTorch sends 64 bytes that are no handle where it recorded none.
  if (eventSyncRequired === false) return undefined;
  if (eventHandle !== undefined) return Uint8Array.from(eventHandle);
  const hex = descriptorOf(subject.item)?.event;
  return hex === undefined ? undefined : Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Asked again now: what is shown may be older than what was typed last, or than the end of a process. */
async function ensureUnblocked(subject: Subject, how: How, anyway: boolean): Promise<void> {
  const args = checkOf(subject, how);
  if (args === undefined) return;
  const { findings } = await request('handles.check', args);
  if (!blocks(findings, anyway)) return;
  const [first] = findings;
  throw new GpuIpcError({
    code: 'invalid-argument',
    message: first?.message ?? 'It cannot be opened.',
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
  });
}
