/**
 * How fast whole buffers are gone through here, as measured: decides what is done by itself and what waits to be asked
 * for. A GPU reads 64 GiB in 16 ms; a simulated one takes minutes.
 */

/** Bytes per millisecond, before anything was measured: 1 GiB/s. */
let pace = 2 ** 30 / 1000;

/** Less than this says more about the call than about the memory. */
const TELLING_BYTES = 2 ** 20;
/** Nobody minds waiting this long for what was not asked for. */
const SOON_MS = 250;

/** The newest counts as much as all before it: the first includes what is made ready once. */
export function measured(bytes: number, tookMs: number): void {
  if (bytes >= TELLING_BYTES && tookMs > 0) pace = (pace + bytes / tookMs) / 2;
}

/** Whether going through so many bytes is done before anybody notices. */
export const isSoon = (bytes: number): boolean => bytes / pace <= SOON_MS;
