/** Numbers for people and back: sizes in bytes, durations, ages, counts. English, the same on every machine. */

const SIZE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Factors of the units that people write. K, M and G alone mean the binary ones, as everywhere in GPU tools. */
const SIZE_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  byte: 1,
  bytes: 1,
  k: 2 ** 10,
  kib: 2 ** 10,
  kb: 1e3,
  m: 2 ** 20,
  mib: 2 ** 20,
  mb: 1e6,
  g: 2 ** 30,
  gib: 2 ** 30,
  gb: 1e9,
  t: 2 ** 40,
  tib: 2 ** 40,
  tb: 1e12,
};

export type SizeReading =
  | { readonly ok: true; readonly bytes: number }
  | { readonly ok: false; readonly problem: string };

/** Reads `64 MiB`, `1.5 GiB`, `4096`, `4,096 B`, `0x1000`. A size is a whole number of bytes, zero or more. */
export function parseSize(text: string): SizeReading {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, problem: 'Write a size, such as 64 MiB.' };
  if (/^0[xX][0-9a-fA-F]+$/.test(trimmed)) return checked(Number(trimmed), trimmed);
  const parts = /^(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*([a-zA-Z]*)$/.exec(trimmed);
  if (!parts) return { ok: false, problem: 'Write a number and a unit, such as 64 MiB.' };
  const factor = SIZE_FACTORS[(parts[2] as string).toLowerCase()];
  if (factor === undefined) return { ok: false, problem: `“${parts[2]}” is not a unit: use B, KiB, MiB or GiB.` };
  return checked(Number((parts[1] as string).replaceAll(',', '')) * factor, trimmed);
}

function checked(bytes: number, text: string): SizeReading {
  // 0.1 KiB is no whole number of bytes; 1.1 GiB is none either, but nobody means the fraction of that last byte.
  const whole = Math.round(bytes);
  if (bytes !== whole && bytes < 1024) return { ok: false, problem: `“${text}” is not a whole number of bytes.` };
  if (!Number.isSafeInteger(whole)) return { ok: false, problem: `“${text}” is too large.` };
  return { ok: true, bytes: whole };
}

/** Three digits and a binary unit: `512 B`, `4.00 KiB`, `64.0 MiB`, `140 GiB`. */
export function formatSize(bytes: number): string {
  if (!Number.isFinite(bytes)) return 'unknown';
  if (bytes < 0) return `−${formatSize(-bytes)}`;
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  let value = bytes / 1024;
  let unit = 1;
  // After rounding: 1023.9 KiB is 1.00 MiB, never 1024 KiB.
  while (Number(threeDigits(value)) >= 1024 && unit < SIZE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${threeDigits(value)} ${SIZE_UNITS[unit]}`;
}

/** Three significant digits, never an exponent; below 1 two decimals. */
function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** The exact number with its unit: `4,194,304 B`. */
export const formatBytes = (bytes: number | bigint): string => `${formatCount(bytes)} B`;

/** A whole number in groups of three: `1,284`. Beyond 2^53 all digits of what the number holds, never an exponent. */
export function formatCount(value: number | bigint): string {
  return String(Number.isInteger(value) ? BigInt(value) : value)
    .replace(/^-/, '−')
    .replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** How long something took, from microseconds: `0.6 µs`, `41.0 µs`, `12.3 ms`, `4.20 s`, `3 min 5 s`. */
export function formatDuration(us: number): string {
  if (!Number.isFinite(us) || us < 0) return 'unknown';
  if (us < 99.95) return `${us.toFixed(1)} µs`;
  if (us < 999.5) return `${us.toFixed(0)} µs`;
  if (us < 999_500) return `${threeDigits(us / 1e3)} ms`;
  if (us < 60e6) return `${threeDigits(us / 1e6)} s`;
  return formatAge(us / 1e3);
}

/** How long ago, from milliseconds: `now`, `8 s`, `3 min`, `2 h 14 min`, `3 d 2 h`. Clocks that run back give `now`. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (!(seconds >= 1)) return 'now';
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** A rate in bytes per second: `40.0 KiB/s`. */
export const formatRate = (bytesPerSecond: number): string => `${formatSize(bytesPerSecond)}/s`;
