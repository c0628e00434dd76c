/** How bytes and offsets are written. */

/** Two hexadecimal digits of each byte. */
export const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** What stands in the text column: `·` for zero, `◦` for what cannot be printed. */
export const GLYPHS: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0) return '·';
  return byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : '◦';
});

export const isPrintable = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e;

export type OffsetBase = 'hex' | 'decimal';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `4,194,304` */
export const formatCount = (count: number): string => grouped.format(count);

/** `0x10` */
export const hexOffset = (offset: number): string => `0x${offset.toString(16)}`;

/** As text in sentences: `0x10`, or `16`. */
export const formatOffset = (offset: number, base: OffsetBase): string =>
  base === 'hex' ? hexOffset(offset) : formatCount(offset);

/** Digits that every offset of a buffer of this size needs; eight at least, so that small buffers look alike. */
export function offsetDigits(size: number, base: OffsetBase): number {
  const last = Math.max(0, size - 1);
  return Math.max(8, base === 'hex' ? last.toString(16).length : grouped.format(last).length);
}

/** As the first column of a row: `00000010`, or `4,096`. */
export const columnOffset = (offset: number, digits: number, base: OffsetBase): string =>
  base === 'hex' ? offset.toString(16).padStart(digits, '0') : grouped.format(offset);

/** `41 43 54 46` */
export function hexText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += text === '' ? HEX[byte] : ` ${HEX[byte]}`;
  return text;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Three digits: `40.0 KiB`, `4 B`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  if (unit === 0) return `${Math.round(value)} B`;
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${units[unit]}`;
}

/** How long ago: `12 ms`, `4.2 s`, `3 min`. */
export function formatAge(ms: number): string {
  if (ms < 0) return '0 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return `${Math.floor(ms / 3_600_000)} h`;
}
