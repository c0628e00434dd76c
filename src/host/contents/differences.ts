/**
 * Where two sequences of bytes differ, found on the CPU piece by piece: the same answer as the GPU gives for memory that
 * one context can read, here for snapshots, for devices that do not see each other, and for memory of two processes.
 */
import { decodeValue } from '#contract/decode-values';
import { type DtypeId, dtypes } from '#contract/dtypes';
import type { ByteRange } from '#contract/ranges';

export interface DifferenceOptions {
  /** Bytes are compared without one. The parts of complex numbers are elements of their own. */
  readonly dtype?: DtypeId | undefined;
  /** An element differs when |a - b| > absolute + relative · |b|. NaN equals NaN. */
  readonly absolute?: number | undefined;
  readonly relative?: number | undefined;
  /** At most this many ranges are kept. */
  readonly limit: number;
}

/** Small enough that a block in which everything differs takes a few milliseconds at most. */
const BLOCK_BYTES = 64 * 1024;
/** After this long other work has its turn. */
const TURN_MS = 4;

export class Differences {
  /** Elements that differ. */
  differing = 0;
  /** Whether there are more ranges than were kept. */
  more = false;
  /** Bytes compared so far. */
  bytes = 0;
  private readonly found: { offset: number; length: number }[] = [];
  /** Where the last difference ended: one that begins there belongs to the same range. */
  private lastEnd = -1;
  private readonly dtype: DtypeId | undefined;
  private readonly size: number;
  private readonly isByte: boolean;

  constructor(private readonly options: DifferenceOptions) {
    const { dtype } = options;
    this.dtype = dtype === undefined ? undefined : (dtypes[dtype].part ?? dtype);
    this.size = this.dtype === undefined ? 1 : dtypes[this.dtype].bytes;
    this.isByte = this.dtype === undefined;
  }

  /** Offset in bytes of the first difference. */
  get first(): number | null {
    return this.firstOffset;
  }
  private firstOffset: number | null = null;

  get ranges(): readonly ByteRange[] {
    return this.found;
  }

  /**
   * The next bytes of both, equally many, at most a few tens of KiB at a time. All but the last piece hold whole
   * elements; bytes after the last whole element count as one element, which differs when any of them does.
   */
  add(a: Uint8Array, b: Uint8Array): void {
    const length = a.byteLength;
    if (Buffer.compare(a, b) !== 0) {
      if (this.isByte) this.addBytes(a, b);
      else this.addElements(a, b);
    }
    this.bytes += length;
  }

  /** The same for pieces of any size, which lets other work have its turn. `pause` may also throw to give up. */
  async addInTurns(a: Uint8Array, b: Uint8Array, pause: () => Promise<void>): Promise<void> {
    let turn = performance.now();
    for (let at = 0; at < a.byteLength; at += BLOCK_BYTES) {
      if (performance.now() - turn > TURN_MS) {
        await pause();
        turn = performance.now();
      }
      this.add(a.subarray(at, at + BLOCK_BYTES), b.subarray(at, at + BLOCK_BYTES));
    }
  }

  private addBytes(a: Uint8Array, b: Uint8Array): void {
    const { bytes: before } = this;
    for (let at = 0; at < a.byteLength; at++) {
      if (a[at] !== b[at]) this.differs(before + at, 1, 1);
    }
  }

  private addElements(a: Uint8Array, b: Uint8Array): void {
    const { size, bytes: before } = this;
    const whole = a.byteLength - (a.byteLength % size);
    for (let at = 0; at < whole; at += size) {
      if (sameBytes(a, b, at, size)) continue;
      const differing = this.differingAt(a, b, at);
      if (differing > 0) this.differs(before + at, size, differing);
    }
    const rest = a.byteLength - whole;
    if (rest > 0 && !sameBytes(a, b, whole, rest)) this.differs(before + whole, rest, 1);
  }

  /** How many elements that begin at an offset differ: of packed types there are two. */
  private differingAt(a: Uint8Array, b: Uint8Array, at: number): number {
    const dtype = this.dtype as DtypeId;
    let differing = 0;
    for (let lane = 0; lane < dtypes[dtype].perUnit; lane++) {
      const x = decodeValue(a, at, dtype, 'little', lane) as number | bigint;
      const y = decodeValue(b, at, dtype, 'little', lane) as number | bigint;
      if (dtype === 'bool' ? (x === 0) !== (y === 0) : !this.isClose(x, y)) differing++;
    }
    return differing;
  }

  private isClose(x: number | bigint, y: number | bigint): boolean {
    if (x === y) return true;
    const { absolute = 0, relative = 0 } = this.options;
    if (typeof x === 'bigint' && typeof y === 'bigint') {
      return Number(x > y ? x - y : y - x) <= absolute + relative * Math.abs(Number(y));
    }
    const [a, b] = [Number(x), Number(y)];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b);
    // An infinity is close to itself only, whatever a relative tolerance of it would be.
    if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
    return Math.abs(a - b) <= absolute + relative * Math.abs(b);
  }

  private differs(offset: number, length: number, elements: number): void {
    this.differing += elements;
    this.firstOffset ??= offset;
    const last = this.found.at(-1);
    if (last !== undefined && this.lastEnd === offset) {
      // Of a range that was not kept the end is known all the same.
      if (!this.more) last.length += length;
    } else if (this.found.length < this.options.limit) this.found.push({ offset, length });
    else this.more = true;
    this.lastEnd = offset + length;
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array, at: number, length: number): boolean {
  for (let index = at; index < at + length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}
