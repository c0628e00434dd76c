/**
 * Where two sequences of bytes differ, found on the CPU piece by piece: the same answer as the GPU gives for memory that
 * one context can read, here for snapshots, for devices that do not see each other, and for memory of two processes.
 */
import { decodeValues } from '#contract/decode-values';
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
    const dtype = this.dtype as DtypeId;
    const { absolute = 0, relative = 0 } = this.options;
    const { perUnit } = dtypes[dtype];
    const whole = a.byteLength - (a.byteLength % size);
    const xs = elementsOf(a, whole, dtype);
    const ys = elementsOf(b, whole, dtype);
    for (let index = 0; index < xs.length; index++) {
      const x = xs[index] as number | bigint;
      const y = ys[index] as number | bigint;
      if (x === y) continue;
      if (dtype === 'bool' ? (x === 0) === (y === 0) : isClose(x, y, absolute, relative)) continue;
      this.differs(before + Math.floor(index / perUnit) * size, size, 1);
    }
    const rest = a.byteLength - whole;
    if (rest > 0 && Buffer.compare(a.subarray(whole), b.subarray(whole)) !== 0) this.differs(before + whole, rest, 1);
  }

  private differs(offset: number, length: number, elements: number): void {
    this.differing += elements;
    this.firstOffset ??= offset;
    // The other element of a byte that holds two.
    if (this.lastEnd === offset + length) return;
    const last = this.found.at(-1);
    if (last !== undefined && this.lastEnd === offset) {
      // Of a range that was not kept the end is known all the same.
      if (!this.more) last.length += length;
    } else if (this.found.length < this.options.limit) this.found.push({ offset, length });
    else this.more = true;
    this.lastEnd = offset + length;
  }
}

function isClose(x: number | bigint, y: number | bigint, absolute: number, relative: number): boolean {
  if (typeof x === 'bigint' || typeof y === 'bigint') {
    const [a, b] = [BigInt(x), BigInt(y)];
    return Number(a > b ? a - b : b - a) <= absolute + relative * Math.abs(Number(b));
  }
  const distance = Math.abs(x - y);
  if (Number.isFinite(distance)) return distance <= absolute + relative * Math.abs(y);
  // An infinity is close to itself only, whatever a relative tolerance of it would be.
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) && Number.isNaN(y);
  return Number.isFinite(x) && Number.isFinite(y) && distance <= absolute + relative * Math.abs(y);
}

const arrays = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f32: Float32Array,
  f64: Float64Array,
  bool: Uint8Array,
} as const;

/** The elements in the first `length` bytes. The memory of all machines that this runs on is little-endian. */
function elementsOf(bytes: Uint8Array, length: number, dtype: DtypeId): ArrayLike<number | bigint> {
  const size = dtypes[dtype].bytes;
  const make = arrays[dtype as keyof typeof arrays];
  if (make === undefined) return decodeValues(bytes.subarray(0, length), dtype) as (number | bigint)[];
  const { buffer, byteOffset } = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  return new make(buffer as ArrayBuffer, byteOffset, length / size);
}
