/** How bytes and offsets are written. Sizes and counts are written by `#contract/units`. */
import { formatCount } from '#contract/units';

/** Two hexadecimal digits of each byte. */
export const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** What stands in the text column: `·` for zero, `◦` for what cannot be printed. */
export const GLYPHS: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0) return '·';
  return isPrintable(byte) ? String.fromCharCode(byte) : '◦';
});

export function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte <= 0x7e;
}

export type OffsetBase = 'hex' | 'decimal';

/** `0x10` */
export const hexOffset = (offset: number | bigint): string => `0x${offset.toString(16)}`;

/** As text in sentences: `0x10`, or `16`. */
export const formatOffset = (offset: number, base: OffsetBase): string =>
  base === 'hex' ? hexOffset(offset) : formatCount(offset);

/** Digits that every offset of a buffer of this size needs; eight at least, so that small buffers look alike. */
export function offsetDigits(size: number, base: OffsetBase): number {
  const last = Math.max(0, size - 1);
  return Math.max(8, base === 'hex' ? last.toString(16).length : formatCount(last).length);
}

/** Characters that the column of offsets, or of addresses from `address` on, needs. */
export function offsetChars(size: number, address: string, offsets: OffsetBase | 'address'): number {
  if (offsets !== 'address') return offsetDigits(size, offsets);
  return hexOffset(BigInt(address) + BigInt(Math.max(0, size - 1))).length;
}

/** As the first column of a row: `00000010`, or `4,096`. */
export const columnOffset = (offset: number, digits: number, base: OffsetBase): string =>
  base === 'hex' ? offset.toString(16).padStart(digits, '0') : formatCount(offset);

/** `41 43 54 46` */
export function hexText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += text === '' ? HEX[byte] : ` ${HEX[byte]}`;
  return text;
}

/** How fresh a read is: `12 ms`, `4.2 s`, `19 s`, `3 min`. Finer than the ages of tables. */
export function formatFreshness(ms: number): string {
  if (!(ms > 0)) return '0 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return `${Math.floor(ms / 3_600_000)} h`;
}
