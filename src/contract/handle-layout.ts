/**
 * What the 64 bytes of a legacy handle hold, as seen on driver 580.159.04 (memory: pid, size, block, offset…; event:
 * pid, table and slot). NVIDIA documents none of it and may change it, so a decoding is shown only after
 * `memoryLayoutProblems` or `eventLayoutProblems` found nothing on handles of one's own. What the driver does with each
 * field was measured: docs/driver-facts.md.
 */
import type { HandleField } from './handle-anatomy';

export interface MemoryHandleLayout {
  /** Bytes 0-7: a heap address, the same in all handles made while one context is current. Not compared. Secret. */
  readonly token: bigint;
  /** Bytes 8-11: the exporter, as its own pid namespace counts. The driver only refuses its own process's by it. */
  readonly pid: number;
  /** Bytes 16-23: size of the exported allocation in bytes. Believed. */
  readonly allocationBytes: bigint;
  /** Bytes 24-27: size of the driver block around it in 4 KiB pages. */
  readonly blockPages: number;
  /** Bytes 28-31: where the allocation begins in that block, in bytes. Believed. */
  readonly offsetInBlock: number;
  /** Bytes 40-43: counts up per block. Secret. */
  readonly counter: number;
  /** Bytes 48-51: the resource manager's client: by it the driver finds the exporter. Secret. */
  readonly client: number;
  /** Bytes 52-55: the resource manager's object; given to another block when this one is freed. Secret. */
  readonly object: number;
}

export interface EventHandleLayout {
  /** Bytes 0-3: by it the driver finds the exporter's tables of events. */
  readonly pid: number;
  /** Bytes 8-15: which of them, from 1; each context has its own. Secret. */
  readonly table: bigint;
  /** Bytes 16-19: from 4095 down. Given to another event when this one is destroyed. Believed. Secret. */
  readonly slot: number;
}

/** More contexts than a process has. */
const MOST_TABLES = 0xffffn;
const LAST_SLOT = 0xfff;

const CONSTANT = [6, 0, 0, 0, 0, 0xff, 0, 0] as const;

type FieldPlan = Pick<HandleField, 'name' | 'offset' | 'length' | 'kind'>;

/** The fields of a memory handle, in order, without gaps. */
const memoryPlan: readonly FieldPlan[] = [
  { name: 'context token', offset: 0, length: 8, kind: 'secret' },
  { name: 'pid', offset: 8, length: 4, kind: 'pid' },
  { name: 'zero', offset: 12, length: 4, kind: 'zero' },
  { name: 'size in bytes', offset: 16, length: 8, kind: 'size' },
  { name: '4 KiB pages', offset: 24, length: 4, kind: 'block' },
  { name: 'block offset', offset: 28, length: 4, kind: 'offset' },
  { name: 'constant', offset: 32, length: 8, kind: 'constant' },
  { name: 'counter', offset: 40, length: 4, kind: 'secret' },
  { name: 'zero', offset: 44, length: 4, kind: 'zero' },
  { name: 'RM client', offset: 48, length: 4, kind: 'secret' },
  { name: 'RM object', offset: 52, length: 4, kind: 'secret' },
  { name: 'zero', offset: 56, length: 8, kind: 'zero' },
];

/** The fields of an event handle, in order, without gaps. Table and slot are all that it has besides the pid. */
const eventPlan: readonly FieldPlan[] = [
  { name: 'pid', offset: 0, length: 4, kind: 'pid' },
  { name: 'zero', offset: 4, length: 4, kind: 'zero' },
  { name: 'table', offset: 8, length: 8, kind: 'secret' },
  { name: 'slot', offset: 16, length: 4, kind: 'secret' },
  { name: 'zero, to byte 63', offset: 20, length: 44, kind: 'zero' },
];

const viewOf = (handle: Uint8Array): DataView => {
  if (handle.byteLength !== 64) throw new RangeError(`a handle has 64 bytes, not ${handle.byteLength}`);
  return new DataView(handle.buffer, handle.byteOffset, 64);
};

/** Decodes as if the observed layout held. RangeError unless 64 bytes. */
export function decodeMemoryHandle(handle: Uint8Array): MemoryHandleLayout {
  const view = viewOf(handle);
  return {
    token: view.getBigUint64(0, true),
    pid: view.getUint32(8, true),
    allocationBytes: view.getBigUint64(16, true),
    blockPages: view.getUint32(24, true),
    offsetInBlock: view.getUint32(28, true),
    counter: view.getUint32(40, true),
    client: view.getUint32(48, true),
    object: view.getUint32(52, true),
  };
}

/** Decodes as if the observed layout held. RangeError unless 64 bytes. */
export function decodeEventHandle(handle: Uint8Array): EventHandleLayout {
  const view = viewOf(handle);
  return { pid: view.getUint32(0, true), table: view.getBigUint64(8, true), slot: view.getUint32(16, true) };
}

const zeros = (handle: Uint8Array, plan: readonly FieldPlan[]): boolean =>
  plan.every(
    ({ kind, offset, length }) =>
      kind !== 'zero' || handle.subarray(offset, offset + length).every((byte) => byte === 0),
  );

const hasConstant = (handle: Uint8Array): boolean => CONSTANT.every((byte, index) => handle[32 + index] === byte);

/** Whether the bytes that are the same in every memory handle seen are so here, and the sizes make sense together. */
export function looksLikeMemoryHandle(handle: Uint8Array): boolean {
  if (handle.byteLength !== 64) return false;
  const { pid, allocationBytes, blockPages, offsetInBlock } = decodeMemoryHandle(handle);
  return (
    pid > 0 &&
    allocationBytes > 0n &&
    BigInt(offsetInBlock) + allocationBytes <= BigInt(blockPages) * 4096n &&
    hasConstant(handle) &&
    zeros(handle, memoryPlan)
  );
}

/** The same for an event handle. */
export function looksLikeEventHandle(handle: Uint8Array): boolean {
  if (handle.byteLength !== 64) return false;
  const { pid, slot } = decodeEventHandle(handle);
  return pid > 0 && hasTable(handle) && slot <= LAST_SLOT && zeros(handle, eventPlan);
}

function hasTable(handle: Uint8Array): boolean {
  const { table } = decodeEventHandle(handle);
  return table >= 1n && table <= MOST_TABLES;
}

/**
 * Whether these are the bytes of a memory handle with a size or an offset that leads out of its block. The driver opens
 * it all the same, and reading there ends every context of the process. Of the constant bytes the driver was seen to
 * insist on 33 and 36 only, so no more are asked for here; byte 32 is zero in event handles.
 */
export function leadsOutOfBlock(handle: Uint8Array): boolean {
  if (handle.byteLength !== 64 || handle[32] === 0 || handle[33] !== 0 || handle[36] !== 0) return false;
  const { allocationBytes, blockPages, offsetInBlock } = decodeMemoryHandle(handle);
  return blockPages > 0 && BigInt(offsetInBlock) + allocationBytes > BigInt(blockPages) * 4096n;
}

/**
 * Whether these are the bytes of an event handle with a slot that no table has. The driver opens it all the same, and
 * crashes the process when the event is used.
 */
export function leadsOutOfTable(handle: Uint8Array): boolean {
  if (handle.byteLength !== 64 || hasConstant(handle) || !hasTable(handle)) return false;
  const { pid, slot } = decodeEventHandle(handle);
  return pid > 0 && slot > LAST_SLOT;
}

/** What a handle of unknown origin is, by its constant bytes. */
export function guessHandleKind(handle: Uint8Array): 'memory' | 'event' | 'unknown' {
  if (looksLikeMemoryHandle(handle)) return 'memory';
  return looksLikeEventHandle(handle) ? 'event' : 'unknown';
}

/** The exporter's pid, when the handle looks like one of the two layouts. */
export function handlePid(handle: Uint8Array): number | undefined {
  const kind = guessHandleKind(handle);
  if (kind === 'unknown') return undefined;
  return kind === 'memory' ? decodeMemoryHandle(handle).pid : decodeEventHandle(handle).pid;
}

/** What is known about the object that a handle of one's own was made from. */
export interface KnownMemory {
  readonly pid: number;
  readonly allocationBytes: number;
  /** Pointer attribute MAPPING_SIZE, and the address minus MAPPING_BASE_ADDR; undefined where not known. */
  readonly blockBytes?: number;
  readonly offsetInBlock?: number;
}

/** Where a decoding disagrees with what is known, each as a sentence; empty when the layout holds. */
export function memoryLayoutProblems(handle: Uint8Array, known: KnownMemory): string[] {
  const seen = decodeMemoryHandle(handle);
  const problems: string[] = [];
  const compare = (what: string, found: number | bigint, expected: number | undefined): void => {
    if (expected !== undefined && BigInt(found) !== BigInt(expected))
      problems.push(`${what} is ${found}, not ${expected}`);
  };
  compare('pid', seen.pid, known.pid);
  compare('size', seen.allocationBytes, known.allocationBytes);
  compare('block size', seen.blockPages * 4096, known.blockBytes);
  compare('block offset', seen.offsetInBlock, known.offsetInBlock);
  if (!looksLikeMemoryHandle(handle)) problems.push('the constant bytes differ');
  return problems;
}

/** The same for an event handle made by process `pid`. */
export function eventLayoutProblems(handle: Uint8Array, pid: number): string[] {
  const seen = decodeEventHandle(handle);
  const problems: string[] = [];
  if (seen.pid !== pid) problems.push(`pid is ${seen.pid}, not ${pid}`);
  if (!looksLikeEventHandle(handle)) problems.push('the constant bytes differ');
  return problems;
}

/** The fields of a memory handle for the anatomy strip; secret ones come without value and bytes. */
export function memoryFields(handle: Uint8Array): HandleField[] {
  const seen = decodeMemoryHandle(handle);
  const values: Record<string, string> = {
    pid: String(seen.pid),
    'size in bytes': grouped(seen.allocationBytes),
    '4 KiB pages': grouped(seen.blockPages),
    'block offset': grouped(seen.offsetInBlock),
  };
  return fieldsOf(handle, memoryPlan, values);
}

/** The fields of an event handle for the anatomy strip; secret ones come without value and bytes. */
export function eventFields(handle: Uint8Array): HandleField[] {
  const seen = decodeEventHandle(handle);
  return fieldsOf(handle, eventPlan, { pid: String(seen.pid) });
}

function fieldsOf(handle: Uint8Array, plan: readonly FieldPlan[], values: Record<string, string>): HandleField[] {
  return plan.map((field) =>
    field.kind === 'secret'
      ? { ...field, value: null, bytes: null }
      : { ...field, value: values[field.name] ?? '', bytes: handle.slice(field.offset, field.offset + field.length) },
  );
}

const grouped = (value: number | bigint): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
