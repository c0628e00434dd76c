/** A size as a number and a unit. Pure. */
import { formatSize, parseSize } from '#contract/units';

export const sizeUnits = ['B', 'KiB', 'MiB', 'GiB'] as const;
export type SizeUnit = (typeof sizeUnits)[number];

export type SizeAnswer = { readonly bytes: number } | { readonly problem: string };

/**
 * Bytes from what was typed. A unit inside the text (`512 KiB`) wins over the chosen one. `most` is the memory of the
 * device; a size of zero or above that is a problem.
 */
export function readSize(amount: string, unit: SizeUnit, most: number | undefined): SizeAnswer {
  const bare = /^[\d.,\s]*$/.test(amount);
  const reading = parseSize(bare && amount.trim() !== '' ? `${amount} ${unit}` : amount);
  if (!reading.ok) return { problem: reading.problem };
  if (reading.bytes < 1) return { problem: 'A buffer has at least 1 byte.' };
  if (most !== undefined && reading.bytes > most) {
    return { problem: `Larger than the device, which has ${formatSize(most)}.` };
  }
  return { bytes: reading.bytes };
}
