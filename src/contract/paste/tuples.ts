/** Tuples that libraries print: PyTorch's storages and tensors, Numba's and cuda.core's pickles. */
import { bytesOfElements, type DtypeId, dtypes } from '#contract/dtypes';
import { isProblem } from './count';
import { itemOf } from './item';
import type { Token } from './tokens';
import type { Cut, Found, FoundBytes, PastedItem, PasteProblem, SaidOfData } from './types';
import { handleIn, type Reader, smallBytes } from './values';

/** More parts than any of these tuples has. */
const MOST_PARTS = 20;

/** Tokens [from, to) of one part of a tuple. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** A tuple at an opening bracket; undefined when it is none of these. */
export function tupleAt(cut: Cut, index: number, read: Reader): Found<PastedItem> | undefined {
  const parts = partsOf(cut.tokens, index);
  if (parts === undefined) return undefined;
  const tuple = { cut, parts, read, index };
  return storageTuple(tuple) ?? tensorTuple(tuple) ?? numbaTuple(tuple) ?? coreTuple(tuple);
}

interface Tuple {
  readonly cut: Cut;
  readonly parts: readonly Part[];
  readonly read: Reader;
  /** Of the opening bracket. */
  readonly index: number;
}

function partsOf(tokens: readonly Token[], index: number): Part[] | undefined {
  const { match } = tokens[index] as Token;
  const parts: Part[] = [];
  let from = index + 1;
  let at = from;
  // Parts of a type's name count too: `<class 'torch.Tensor'>`.
  for (let steps = 0; at < match; steps++) {
    if (steps > 400) return undefined;
    const token = tokens[at] as Token;
    if (token.text === ',') {
      parts.push({ from, to: at });
      if (parts.length > MOST_PARTS) return undefined;
      from = at + 1;
    }
    at = token.match > at ? token.match + 1 : at + 1;
  }
  if (from < match) parts.push({ from, to: match });
  return parts;
}

const only = ({ cut, parts }: Tuple, at: number): Token | undefined => {
  const part = parts[at];
  return part !== undefined && part.to === part.from + 1 ? cut.tokens[part.from] : undefined;
};

function numberAt(tuple: Tuple, at: number): number | undefined {
  const text = only(tuple, at)?.text ?? '';
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

const flagAt = (tuple: Tuple, at: number): boolean | undefined =>
  ({ True: true, true: true, False: false, false: false })[only(tuple, at)?.text ?? ''];

const isQuoted = (token: Token | undefined): boolean => token?.kind === 'string' || token?.kind === 'bytes';

const spanOf = ({ cut, index }: Tuple) => ({
  start: (cut.tokens[index] as Token).start,
  end: (cut.tokens[(cut.tokens[index] as Token).match] as Token).end,
});
const after = ({ cut, index }: Tuple): number => (cut.tokens[index] as Token).match + 1;

/** One item or the problem in its place. */
function answer(tuple: Tuple, result: PastedItem | PasteProblem): Found<PastedItem> {
  const next = after(tuple);
  return isProblem(result) ? { next, items: [], problems: [result] } : { next, items: [result], problems: [] };
}

const handleAt = ({ cut, parts, read }: Tuple, at: number): FoundBytes | PasteProblem => {
  const { from, to } = parts[at] as Part;
  return handleIn(cut, from, to, read);
};

/** (device, handle, bytes, offset, counter file, its offset, event, event is needed): storage._share_cuda_() */
function storageTuple(tuple: Tuple): Found<PastedItem> | undefined {
  if (tuple.parts.length !== 8 || !isQuoted(only(tuple, 1)) || !isQuoted(only(tuple, 4)) || !isQuoted(only(tuple, 6))) {
    return undefined;
  }
  const device = numberAt(tuple, 0);
  const size = numberAt(tuple, 2);
  const offset = numberAt(tuple, 3);
  if (device === undefined || size === undefined || offset === undefined || flagAt(tuple, 7) === undefined) {
    return undefined;
  }
  return answer(
    tuple,
    storage(tuple, { handle: 1, counter: 4, event: 6 }, { device, size, offset }, 'PyTorch _share_cuda_() tuple'),
  );
}

/** What PyTorch says of a storage; counter offset and flag stand after the counter file and the event. */
function storage(
  tuple: Tuple,
  at: { readonly handle: number; readonly counter: number; readonly event: number },
  said: SaidOfData,
  source: string,
): PastedItem | PasteProblem {
  const found = handleAt(tuple, at.handle);
  if (isProblem(found)) return found;
  const event = eventAt(tuple, at.event);
  if (isProblem(event)) return event;
  const counter = only(tuple, at.counter);
  const name = counter === undefined ? undefined : smallBytes(tuple.cut, counter);
  return itemOf(found, {
    kind: 'pytorch-storage',
    source,
    ...said,
    ...(name === undefined ? {} : { refCounterFile: new TextDecoder().decode(name) }),
    refCounterOffset: numberAt(tuple, at.counter + 1),
    eventHandle: event?.handle ?? undefined,
    eventSyncRequired: flagAt(tuple, at.event + 1),
    ...spanOf(tuple),
  });
}

/** Storages that need no event have an empty text in its place. */
function eventAt(tuple: Tuple, at: number): FoundBytes | PasteProblem | undefined {
  const token = only(tuple, at);
  if (token === undefined || token.text === 'None' || token.end - token.start <= 3) return undefined;
  return handleAt(tuple, at);
}

const torchTypes: Readonly<Record<string, DtypeId>> = {
  uint8: 'u8',
  int8: 'i8',
  uint16: 'u16',
  int16: 'i16',
  uint32: 'u32',
  int32: 'i32',
  uint64: 'u64',
  int64: 'i64',
  float16: 'f16',
  bfloat16: 'bf16',
  float32: 'f32',
  float64: 'f64',
  float8_e4m3fn: 'f8e4m3',
  float8_e5m2: 'f8e5m2',
  bool: 'bool',
  complex64: 'c64',
  complex128: 'c128',
};

/** The arguments of torch.multiprocessing.reductions.rebuild_cuda_tensor, as reduce_tensor() gives them. */
function tensorTuple(tuple: Tuple): Found<PastedItem> | undefined {
  const { cut, parts } = tuple;
  if (parts.length !== 15 || !isQuoted(only(tuple, 7)) || flagAt(tuple, 14) === undefined) return undefined;
  const device = numberAt(tuple, 6);
  const size = numberAt(tuple, 8);
  const offset = numberAt(tuple, 9);
  const first = numberAt(tuple, 3);
  if (device === undefined || size === undefined || offset === undefined || first === undefined) return undefined;
  const name = cut.tokens[(parts[5] as Part).to - 1]?.text ?? '';
  const dtype = Object.hasOwn(torchTypes, name) ? torchTypes[name] : undefined;
  const shape = numbersIn(cut, parts[1] as Part);
  const strides = numbersIn(cut, parts[2] as Part);
  const data =
    dtype && shape && strides?.length === shape.length
      ? view({ dtype, shape, strides, first, size, offset })
      : undefined;
  const said: SaidOfData = { device, size, offset, dtype, shape, strides, ...data };
  return answer(
    tuple,
    storage(tuple, { handle: 7, counter: 11, event: 13 }, said, 'PyTorch rebuild_cuda_tensor arguments'),
  );
}

/** Where the tensor lies in its storage: undefined when it leads out of it. */
function view(of: {
  dtype: DtypeId;
  shape: number[];
  strides: number[];
  first: number;
  size: number;
  offset: number;
}): { offset: number; size: number } | undefined {
  const { dtype, shape, strides, first, size, offset } = of;
  const last = shape.reduce((sum, count, at) => sum + (count - 1) * (strides[at] as number), 0);
  const bytes = shape.includes(0) ? 0 : bytesOfElements(last + 1, dtype);
  const begin = first * dtypes[dtype].bytes;
  return begin + bytes <= size ? { offset: offset + begin, size: bytes } : undefined;
}

/** `torch.Size([2, 3])`, `(3, 1)`, `(4,)`, `()`. */
function numbersIn({ tokens }: Cut, { from, to }: Part): number[] | undefined {
  const words: string[] = [];
  for (const token of tokens.slice(from, Math.min(to, from + 80))) {
    if (token.kind === 'word' && /^\d{1,15}$/.test(token.text)) words.push(token.text);
    else if (!/^(?:torch|Size|[.,()[\]])$/.test(token.text)) return undefined;
  }
  return words.map(Number);
}

/** (<class '…IpcHandle'>, handle, bytes, device identity, offset): what Numba pickles. */
function numbaTuple(tuple: Tuple): Found<PastedItem> | undefined {
  const { cut, parts } = tuple;
  const head = parts[0];
  if (parts.length !== 5 || head === undefined || !mentions(cut, head, 'IpcHandle')) return undefined;
  const size = numberAt(tuple, 2);
  const offset = numberAt(tuple, 4);
  if (size === undefined || offset === undefined) return undefined;
  const found = handleAt(tuple, 1);
  return answer(
    tuple,
    isProblem(found)
      ? found
      : itemOf(found, { kind: 'cuda-ipc-memory', source: 'Numba IpcHandle', size, offset, ...spanOf(tuple) }),
  );
}

/** (IPCBufferDescriptor._init, (bytes, size)): what cuda.core pickles. */
function coreTuple(tuple: Tuple): Found<PastedItem> | undefined {
  const { cut, parts, read } = tuple;
  const [head, inner] = parts;
  if (parts.length !== 2 || head === undefined || inner === undefined || !mentions(cut, head, 'IPCBufferDescriptor'))
    return undefined;
  const open = cut.tokens[inner.from];
  if (open?.match !== inner.to - 1) return undefined;
  const own = { cut, parts: partsOf(cut.tokens, inner.from) ?? [], read, index: inner.from };
  const size = numberAt(own, 1);
  if (own.parts.length !== 2 || size === undefined) return undefined;
  const found = handleAt(own, 0);
  return answer(
    tuple,
    isProblem(found)
      ? found
      : itemOf(found, {
          kind: 'cuda-pool-pointer',
          source: 'cuda.core IPCBufferDescriptor',
          size,
          offset: 0,
          ...spanOf(tuple),
        }),
  );
}

const mentions = ({ text, tokens }: Cut, { from, to }: Part, name: string): boolean => {
  const start = tokens[from]?.start ?? 0;
  return to > from && text.slice(start, Math.min((tokens[to - 1] as Token).end, start + 300)).includes(name);
};
