/** From 64 bytes and what stands around them to an item of a pasted text. */
import { decodeMemoryHandle, guessHandleKind, handlePid, looksLikeMemoryHandle } from '#contract/handle-layout';
import { type HandleForm, handleFormWords } from '#contract/handle-text';
import { decodePoolPointer } from '#contract/pool-pointer-layout';
import type { FoundBytes, PastedItem, PastedKind, PasteForm, SaidOfData } from './types';

type Decoded = Pick<PastedItem, 'kind' | 'pid' | 'allocationSize' | 'offsetInBlock'>;

/** What 64 bytes of unknown origin are, by the layouts that were observed. */
export function decode(handle: Uint8Array): Decoded {
  const kind = guessHandleKind(handle);
  const pid = handlePid(handle);
  if (kind === 'event') return { kind: 'cuda-ipc-event', pid };
  if (kind === 'memory' && looksLikeMemoryHandle(handle)) {
    const { allocationBytes, offsetInBlock } = decodeMemoryHandle(handle);
    return { kind: 'cuda-ipc-memory', pid, ...exactly('allocationSize', allocationBytes), offsetInBlock };
  }
  const pointer = decodePoolPointer(handle);
  if (pointer === undefined) return { kind: 'unknown-handle' };
  const { pid: owner, allocationBytes } = pointer;
  return { kind: 'cuda-pool-pointer', pid: owner, ...exactly('allocationSize', allocationBytes) };
}

const exactly = <K extends string>(key: K, value: bigint): { [key in K]?: number } =>
  (value <= BigInt(Number.MAX_SAFE_INTEGER) ? { [key]: Number(value) } : {}) as { [key in K]?: number };

const kindNames: Readonly<Record<PastedKind, string>> = {
  'cuda-ipc-memory': 'Memory handle',
  'cuda-ipc-event': 'Event handle',
  'cuda-pool-pointer': 'Pool pointer',
  'pytorch-storage': 'PyTorch storage',
  'pytorch-expandable': 'PyTorch expandable segments',
  descriptor: 'Share descriptor',
  'unknown-handle': '64 bytes',
};

const formNames: Readonly<Record<Exclude<PasteForm, HandleForm>, string>> = {
  'c-string': 'C string',
  dump: 'dump',
  json: 'JSON',
};
const formName = (form: PasteForm): string => ({ ...handleFormWords, ...formNames })[form];

/** What a handle is called whose text was written as Python bytes. */
export const inPythonBytes = (form: PasteForm): string => `${formName(form)} in Python bytes`;

interface Around extends SaidOfData {
  /** What the text says that it is. The bytes decide when they disagree, except for `pytorch-storage`. */
  readonly kind?: PastedKind;
  readonly source?: string;
  /** Of the whole thing that the handle is part of. */
  readonly start?: number;
  readonly end?: number;
  readonly pid?: number;
  readonly allocationSize?: number;
}

/** An item; what the text says goes before what the bytes say. */
export function itemOf(found: FoundBytes, around: Around = {}): PastedItem {
  const { handle, form, start, end, tool, fromPyTorch } = found;
  if (handle === null) return itemOfSegments(found, around);
  const { kind: said, source, ...rest } = around;
  const decoded = decode(handle);
  const kind =
    said !== undefined && (said === 'pytorch-storage' || decoded.kind === 'unknown-handle') ? said : decoded.kind;
  const as = `as ${tool ?? formName(form)}`;
  const origin = fromPyTorch ? `after PyTorch’s two bytes, ${as}` : as;
  const item = {
    ...decoded,
    form,
    start,
    end,
    ...rest,
    kind,
    handle,
    source: source ?? `${kindNames[kind]} ${origin}`,
  };
  return withoutUndefined(item);
}

/** Memory that travels by file descriptors: what the text says is about the whole of its segments. */
function itemOfSegments({ segments, form, start, end }: FoundBytes, around: Around): PastedItem {
  const { kind: _said, source, ...rest } = around;
  const kind = 'pytorch-expandable';
  return withoutUndefined({
    allocationSize: (segments?.segmentBytes ?? 0) * (segments?.fds.length ?? 0),
    form,
    start,
    end,
    ...rest,
    ...segments,
    kind,
    handle: null,
    source: source === undefined ? `${kindNames[kind]} as ${formName(form)}` : `${source} (expandable segments)`,
  });
}

const withoutUndefined = (item: object): PastedItem =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as unknown as PastedItem;
