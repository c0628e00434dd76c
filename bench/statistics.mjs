/** The two numbers that the benchmark reports of a list of samples. */

/** @param {readonly number[]} samples @param {number} share 0 to 1 @returns the nearest sample; NaN of no samples */
export function percentile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.round(share * (sorted.length - 1)))] ?? Number.NaN;
}

/** @param {readonly number[]} samples */
export const median = (samples) => percentile(samples, 0.5);
