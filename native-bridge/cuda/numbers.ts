/**
 * The one place where 64-bit values change their form. Out-parameters are read from BigUint64Array scratch, never from
 * koffi's decoded values (which arrive as Number or BigInt depending on their size, and cost an allocation): addresses
 * stay bigint, sizes become safe integers.
 */
import { GpuIpcError } from '#contract/result';

/** A size or count the driver answered, as a number. 2^53 bytes are 8 PiB: beyond that the value is no size. */
export function toSize(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new GpuIpcError({ code: 'internal', message: `The driver answered ${value}, which is no size in bytes.` });
  }
  return Number(value);
}

/**
 * Checks a size on its way into the driver. koffi wraps negative numbers and fractions silently, so −1 would ask for
 * 16 EiB and NaN for nothing.
 */
export function sizeIn(value: number, what = 'size'): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new GpuIpcError({
    code: 'invalid-argument',
    message: `The ${what} must be a whole number of bytes, not ${value}.`,
  });
}

/** Checks that a JavaScript buffer holds the bytes a copy is about to move: past its end lies the JavaScript heap. */
export function fits(buffer: Uint8Array, bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= buffer.byteLength) return bytes;
  throw new GpuIpcError({
    code: 'invalid-argument',
    message: `A copy of ${bytes} bytes does not fit into a buffer of ${buffer.byteLength} bytes.`,
  });
}

/** The text in a zero-terminated C buffer. */
export function cString(buffer: Uint8Array): string {
  const end = buffer.indexOf(0);
  return new TextDecoder().decode(end < 0 ? buffer : buffer.subarray(0, end));
}
