/**
 * The pass of the statistics over bytes that the CPU has, piece by piece. What it finds has the same meaning as what the
 * kernels find, and goes through the same last steps.
 */
import { type Bins, planBins } from './bins';
import { type Elements, elementsOf, keyOfBits, keyRange, Order } from './elements';
import { PieceSum } from './piece-sum';
import { type Found, largeStatistics, nothingFound, smallStatistics } from './statistics-results';
import { pivotOf, type Sample, sampleOf, samplePlaces } from './statistics-sample';
import type { BufferStatistics, ElementValue, StatisticsOptions } from './types';

interface Plan {
  readonly bins: Bins;
  readonly sample: Sample | undefined;
  readonly pivot: { readonly value: ElementValue };
}

/** Statistics of bytes that come piece by piece, all but the last in multiples of 16 and at most a few tens of KiB. */
export class CpuStatistics {
  private readonly elements: Elements;
  private readonly checksum = new PieceSum();
  private readonly plan: Plan;
  private readonly found: Found;
  /** Of types of at most 16 bits: how often each pattern of bits occurs. */
  private readonly times: Float64Array;

  /**
   * @param bytes of all pieces
   * @param read a few bytes at a place, for the sample that says where the bins lie; may be of use only until the next
   */
  static async over(
    bytes: number,
    options: StatisticsOptions,
    read: (offset: number, length: number) => Uint8Array | Promise<Uint8Array>,
  ): Promise<CpuStatistics> {
    const elements = elementsOf(options.dtype);
    if (elements.bits <= 8 || bytes * 8 < elements.bits) return new CpuStatistics(bytes, options, undefined);
    const { size, samples, step } = samplePlaces(elements, bytes);
    const taken = new Uint8Array(samples * size);
    for (let index = 0; index < samples; index++) taken.set(await read(index * step, size), index * size);
    return new CpuStatistics(bytes, options, sampleOf(elements, taken));
  }

  private constructor(
    private readonly bytes: number,
    private readonly options: StatisticsOptions,
    sample: Sample | undefined,
  ) {
    const elements = elementsOf(options.dtype);
    this.elements = elements;
    this.plan = { bins: planBins(elements, sample, options.bins), sample, pivot: pivotOf(elements, sample) };
    this.found = nothingFound(elements.bits <= 8 ? 256 : this.plan.bins.count);
    this.times = new Float64Array(elements.bits > 16 ? 0 : elements.bits === 16 ? 65_536 : 256);
  }

  /** The next piece. */
  add(bytes: Uint8Array): void {
    this.checksum.add(bytes);
    const { bits, order } = this.elements;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bits <= 8) for (const byte of bytes) this.times[byte] = (this.times[byte] as number) + 1;
    else if (bits === 16) this.addPatterns(view);
    else if (order === Order.FLOAT) this.addFloats(view);
    else if (bits === 32) this.addIntegers(view);
    else this.addLongIntegers(view);
  }

  /** Once, when all pieces were added. */
  result(): BufferStatistics {
    const { elements, found, plan, bytes } = this;
    const { bins: wanted } = this.options;
    found.checksum = this.checksum.value;
    if (elements.bits <= 8) {
      found.counts = [...this.times];
      return smallStatistics(elements, bytes, found, wanted);
    }
    if (elements.bits === 16) this.takePatterns();
    return largeStatistics(elements, bytes, found, { ...plan, wanted });
  }

  private addPatterns(view: DataView): void {
    const { times } = this;
    for (let at = 0; at + 2 <= view.byteLength; at += 2) {
      const pattern = view.getUint16(at, true);
      times[pattern] = (times[pattern] as number) + 1;
    }
  }

  /** Everything of a type of 16 bits from how often each of its values occurs. */
  private takePatterns(): void {
    const { elements, found } = this;
    const isFloat = elements.order === Order.FLOAT;
    const finite = keyRange(elements, 'finite');
    const smallestNormal = !isFloat ? 0 : elements.dtype === 'f16' ? 2 ** -14 : 2 ** -126;
    for (const [pattern, count] of this.times.entries()) {
      if (count === 0) continue;
      const many = BigInt(count);
      const key = keyOfBits(elements, BigInt(pattern));
      const value = Number(elements.decode(BigInt(pattern)));
      if (value !== 0) found.nonzero += many;
      if (!(Math.abs(value) < smallestNormal)) found.normal += many;
      if (value < 0) found.negative += many;
      if (key < finite.low || key > finite.high) {
        this.addNotFinite(value, many);
        continue;
      }
      if (key < found.least) found.least = key;
      if (key > found.greatest) found.greatest = key;
      this.countBin(this.plan.bins.binOf(value), count);
      if (isFloat) {
        found.floatSum.add(value * count);
        found.floatSquares.add(value * value * count);
      } else {
        found.sum += BigInt(value) * many;
        found.squares += BigInt(value * value) * many;
      }
    }
  }

  /** Sums of a piece are plain; those of all pieces are put together with compensation, as those of a GPU's threads. */
  private addFloats(view: DataView): void {
    const { elements, found, plan } = this;
    const { binOf } = plan.bins;
    const single = elements.bits === 32;
    const size = single ? 4 : 8;
    const smallestNormal = single ? 2 ** -126 : 2 ** -1022;
    const centre = Number(plan.pivot.value);
    let nonzero = 0;
    let normal = 0;
    let negative = 0;
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    let sum = 0;
    let squares = 0;
    for (let at = 0; at + size <= view.byteLength; at += size) {
      const value = single ? view.getFloat32(at, true) : view.getFloat64(at, true);
      if (value !== 0) nonzero++;
      if (!(Math.abs(value) < smallestNormal)) normal++;
      if (value < 0) negative++;
      if (!Number.isFinite(value)) {
        this.addNotFinite(value, 1n);
        continue;
      }
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      const distance = value - centre;
      sum += distance;
      squares += distance * distance;
      this.countBin(binOf(value), 1);
    }
    found.nonzero += BigInt(nonzero);
    found.normal += BigInt(normal);
    found.negative += BigInt(negative);
    found.floatSum.add(sum);
    found.floatSquares.add(squares);
    if (least <= greatest) this.addRange(this.keyOf(least), this.keyOf(greatest));
  }

  private addIntegers(view: DataView): void {
    const { elements, found, plan } = this;
    const signed = elements.order === Order.SIGNED;
    const pivot = Number(plan.pivot.value);
    const [lowBits, span, shift] = plan.bins.arguments.map(Number) as [number, number, number];
    const low = signed ? lowBits | 0 : lowBits;
    const width = 2 ** shift;
    const last = plan.bins.count - 1;
    let zeros = 0;
    let negative = 0;
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    // Exact: a piece has far fewer elements than 2^53 / 2^32.
    let sum = 0;
    let squares = 0;
    let elementsHere = 0;
    for (let at = 0; at + 4 <= view.byteLength; at += 4) {
      const value = signed ? view.getInt32(at, true) : view.getUint32(at, true);
      elementsHere++;
      if (value === 0) zeros++;
      if (value < 0) negative++;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      sum += value;
      squares += (value - pivot) * (value - pivot);
      const distance = value - low;
      this.countBin(distance < 0 ? 0 : distance > span ? last : 1 + Math.floor(distance / width), 1);
    }
    found.nonzero += BigInt(elementsHere - zeros);
    found.normal += BigInt(elementsHere - zeros);
    found.negative += BigInt(negative);
    found.sum += BigInt(sum);
    found.floatSquares.add(squares);
    if (least <= greatest) this.addRange(this.keyOf(least), this.keyOf(greatest));
  }

  private addLongIntegers(view: DataView): void {
    const { elements, found, plan } = this;
    const signed = elements.order === Order.SIGNED;
    const pivot = BigInt(plan.pivot.value);
    let squares = 0;
    for (let at = 0; at + 8 <= view.byteLength; at += 8) {
      const bits = view.getBigUint64(at, true);
      const value = signed ? BigInt.asIntN(64, bits) : bits;
      const key = keyOfBits(elements, bits);
      if (value !== 0n) found.nonzero++;
      if (value < 0n) found.negative++;
      if (key < found.least) found.least = key;
      if (key > found.greatest) found.greatest = key;
      found.sum += value;
      squares += Number(value - pivot) ** 2;
      this.countBin(plan.bins.binOf(value), 1);
    }
    found.normal = found.nonzero;
    found.floatSquares.add(squares);
  }

  private addNotFinite(value: number, many: bigint): void {
    if (Number.isNaN(value)) this.found.nans += many;
    else if (value > 0) this.found.positiveInfinities += many;
    else this.found.negativeInfinities += many;
  }

  private addRange(least: bigint, greatest: bigint): void {
    if (least < this.found.least) this.found.least = least;
    if (greatest > this.found.greatest) this.found.greatest = greatest;
  }

  private countBin(bin: number, count: number): void {
    const { counts } = this.found;
    counts[bin] = (counts[bin] as number) + count;
  }

  /** Place of a value of 32 bits, or of a double, in the order of its type. */
  private keyOf(value: number): bigint {
    const word = new DataView(new ArrayBuffer(8));
    const { bits, order } = this.elements;
    if (bits === 64) word.setFloat64(0, value);
    else if (order === Order.FLOAT) word.setFloat32(0, value);
    else word.setInt32(0, value);
    return keyOfBits(this.elements, bits === 64 ? word.getBigUint64(0) : BigInt(word.getUint32(0)));
  }
}
