/** The driver block around memory: everything in it is exposed by a legacy handle of anything in it. */
import type { Verdict } from '#contract/calls/sharing';
import { toAddress } from '#native/cuda/index';

/** A stretch of addresses: from `start`, `bytes` long. */
export interface Stretch {
  readonly start: bigint;
  readonly bytes: number;
}

/** An allocation that may lie in the block. */
export interface Placed extends Stretch {
  readonly objectId: string;
  readonly label: string;
}

/** Bytes that two stretches have in common. */
export function overlap(a: Stretch, b: Stretch): number {
  const start = Number(b.start - a.start);
  return Math.max(0, Math.min(a.bytes, start + b.bytes) - Math.max(0, start));
}

/** @param others allocations of the same process, in any order, without the memory itself */
export function blockAround(block: Stretch, own: Stretch, others: readonly Placed[]): NonNullable<Verdict['block']> {
  return {
    address: toAddress(block.start),
    bytes: block.bytes,
    exposedBytes: block.bytes - overlap(own, block),
    neighbours: others
      .filter((other) => overlap(other, block) > 0)
      .sort((a, b) => (a.start < b.start ? -1 : 1))
      .map(({ objectId, label, start, bytes }) => ({ objectId, label, address: toAddress(start), bytes })),
  };
}
