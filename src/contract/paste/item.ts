/** From 64 bytes and what stands around them to an item of a pasted text. */
import { decodeMemoryHandle, guessHandleKind, handlePid, looksLikeMemoryHandle } from '#contract/handle-layout';
import { type HandleForm, handleFormNames } from '#contract/handle-text';
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
  descriptor: 'Share descriptor',
  'unknown-handle': '64 bytes',
};

const formNames: Readonly<Record<Exclude<PasteForm, HandleForm>, string>> = {
  'c-string': 'C string',
  dump: 'dump',
  json: 'JSON',
};
const formName = (form: PasteForm): string => ({ ...handleFormNames, ...formNames })[form];

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
  const { kind: said, source, ...rest } = around;
  const decoded = decode(handle);
  const kind =
    said !== undefined && (said === 'pytorch-storage' || decoded.kind === 'unknown-handle') ? said : decoded.kind;
  const origin = fromPyTorch ? `after PyTorch’s two bytes, as ${formName(form)}` : `as ${tool ?? formName(form)}`;
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
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as unknown as PastedItem;
}
