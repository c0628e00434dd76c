/**
 * Names with values, with or without brackets around them: JSON, Python's dictionaries and arguments, protobuf text,
 * lines of a log. When one of the names is that of a handle, the others say what it is about.
 */
import { isProblem } from './count';
import { itemOf } from './item';
import type { Token } from './tokens';
import type { Cut, Found, PastedItem } from './types';
import { handleIn, type Reader, smallBytes } from './values';

interface Pair {
  /** In lower case, letters and digits only. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Tokens [from, to) of the value. */
  readonly from: number;
  readonly to: number;
}

interface Pairs {
  readonly pairs: readonly Pair[];
  readonly next: number;
}

/** Tokens of a value that is no text, number or bracket. */
const LONGEST_VALUE = 40;

const HANDLE =
  /^(?:raw|cuda|ipc|cudaipc|mem|memory|cudaipcmem|ipcmem|storage|cudashm)*handle$|^reserved$|^payload$|^b64$/;
const EVENT = /^(?:cuda|ipc)*event(?:ipc)?handle$/;
const NUMBERS: Readonly<Record<string, 'device' | 'offset' | 'size' | 'pid' | 'allocationSize' | 'refCounterOffset'>> =
  {
    deviceid: 'device',
    device: 'device',
    deviceordinal: 'device',
    storagedevice: 'device',
    gpu: 'device',
    gpuid: 'device',
    offset: 'offset',
    byteoffset: 'offset',
    offsetbytes: 'offset',
    storageoffsetbytes: 'offset',
    size: 'size',
    bytesize: 'size',
    nbytes: 'size',
    sizebytes: 'size',
    storagesizebytes: 'size',
    pid: 'pid',
    allocationsize: 'allocationSize',
    refcounteroffset: 'refCounterOffset',
  };

/** Whether a name and a sign begin at a token. */
export function isName(tokens: readonly Token[], index: number): boolean {
  const sign = tokens[index + 1];
  const token = tokens[index];
  return (
    (sign?.text === ':' || sign?.text === '=') &&
    (token?.kind === 'string'
      ? token.end - token.start < 60
      : token?.kind === 'word' && /^[A-Za-z_]\w{0,58}$/.test(token.text))
  );
}

/** All pairs from a token on that follow each other, with or without commas. */
export function pairsAt({ text, tokens }: Cut, index: number): Pairs {
  const pairs: Pair[] = [];
  let next = index;
  while (isName(tokens, next)) {
    const token = tokens[next] as Token;
    const from = next + 2;
    const value = tokens[from];
    // A name without a value takes none from a paragraph further down: what stands there is something else.
    if (value === undefined || value.gap === 'paragraph' || isName(tokens, from)) break;
    const to = value.match > from ? value.match + 1 : afterValue(tokens, from);
    const shown = token.kind === 'string' ? text.slice(token.quote + 1, token.end - 1) : token.text;
    const name = shown.toLowerCase().replace(/[^a-z0-9]/g, '');
    pairs.push({ name, start: token.start, end: (tokens[to - 1] as Token).end, from, to });
    next = to;
    if (tokens[next]?.text === ',' || tokens[next]?.text === ';') next++;
    else if (!isName(tokens, next)) {
      // A value of several words: up to the comma, in the same line.
      let rest = next;
      const most = next + LONGEST_VALUE;
      while (
        rest < Math.min(most, tokens.length) &&
        !/^[,)\]}]$/.test((tokens[rest] as Token).text) &&
        (tokens[rest] as Token).gap !== 'line' &&
        (tokens[rest] as Token).gap !== 'paragraph'
      ) {
        rest = (tokens[rest] as Token).match > rest ? (tokens[rest] as Token).match + 1 : rest + 1;
      }
      if (tokens[rest]?.text !== ',') break;
      next = rest + 1;
    }
  }
  return { pairs, next };
}

/** Quoted text goes on as long as C, Python or gdb join it; everything else is one token. */
function afterValue(tokens: readonly Token[], from: number): number {
  const { kind } = tokens[from] as Token;
  let to = from + 1;
  if (kind === 'string' || kind === 'bytes') while (tokens[to]?.kind === kind && !isName(tokens, to)) to++;
  return to;
}

/** The item that pairs tell of; undefined unless exactly one of them is a handle. */
export function itemOfPairs(cut: Cut, { pairs, next }: Pairs, read: Reader): Found<PastedItem> | undefined {
  const handles = pairs.filter(({ name }) => HANDLE.test(name));
  const [pair] = handles;
  if (pair === undefined || handles.length > 1) return undefined;
  const { from, to } = innermost(cut, pair);
  const found = handleIn(cut, from, to, read);
  // What has the name of a handle need not be one: an address, `None`.
  if (isProblem(found)) return undefined;
  const { start, end } = { start: (pairs[0] as Pair).start, end: (pairs.at(-1) as Pair).end };
  const said: Record<string, unknown> = {};
  for (const { name, from: at, to: last } of pairs) {
    const token = cut.tokens[at] as Token;
    const key = Object.hasOwn(NUMBERS, name) ? NUMBERS[name] : undefined;
    if (last !== at + 1) continue;
    if (key !== undefined && /^\d{1,15}$/.test(token.text)) said[key] = Number(token.text);
    if (name === 'eventsyncrequired') said.eventSyncRequired = token.text.toLowerCase() === 'true';
    const small = name === 'refcounterhandle' ? smallBytes(cut, token) : undefined;
    if (small !== undefined) said.refCounterFile = new TextDecoder().decode(small);
  }
  for (const event of pairs.filter(({ name }) => EVENT.test(name))) {
    const seen = handleIn(cut, event.from, event.to, read);
    if (!isProblem(seen) && seen.handle !== null) said.eventHandle = seen.handle;
  }
  const names = new Set(pairs.map(({ name }) => name));
  const isTorch = found.fromPyTorch || names.has('refcounterhandle') || names.has('storagesizebytes');
  const isTriton = names.has('rawhandle');
  const isNumba = names.has('sourceinfo');
  const isCore = pair.name === 'payload';
  const source = isTorch
    ? 'PyTorch storage by name'
    : isTriton
      ? 'Triton shared-memory registration'
      : isNumba
        ? 'Numba IpcHandle'
        : isCore
          ? 'cuda.core IPCBufferDescriptor'
          : undefined;
  const kind = isTorch
    ? 'pytorch-storage'
    : isCore
      ? 'cuda-pool-pointer'
      : isTriton || isNumba
        ? 'cuda-ipc-memory'
        : undefined;
  // Nothing was said about it: it stands for itself.
  if (Object.keys(said).length === 0 && source === undefined) return undefined;
  return { next, items: [itemOf(found, { start, end, ...said, kind, source })], problems: [] };
}

/** Triton puts base64 in an object of its own: `{ "b64": "…" }`. */
function innermost(cut: Cut, pair: Pair): { from: number; to: number } {
  const { tokens } = cut;
  if (tokens[pair.from]?.text !== '{' || !isName(tokens, pair.from + 1)) return pair;
  const inner = pairsAt(cut, pair.from + 1);
  const [only] = inner.pairs;
  return inner.pairs.length === 1 && only !== undefined && HANDLE.test(only.name) && inner.next === pair.to - 1
    ? only
    : pair;
}
