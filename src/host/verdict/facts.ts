/** What a verdict rests on: the driver's answers about an address, and what this process knows of it besides. */
import type { Sharing } from '#contract/devices';
import type { Mechanism, MemoryKind } from '#contract/values';
import type { PointerAttributeName } from '#native/cuda/index';

/** Decoded attributes; one is missing where the driver refuses it, as an old one does, or where nothing is. */
export type Attributes = Partial<Readonly<Record<PointerAttributeName, number | bigint>>>;

/** A piece of memory that is shared by itself: the whole allocation, or what is mapped at one place of a range. */
export interface PieceFacts {
  readonly attributes: Attributes;
  /** Whether cuMemRetainAllocationHandle gave the handle behind it; `null` when this driver has no such function. */
  readonly retained: boolean | null;
}

export interface MemoryFacts {
  /** What the records of this process say that it is; `undefined` for memory that is not in them. */
  readonly record: { readonly kind: MemoryKind } | { readonly imported: Mechanism } | undefined;
  /** One, or more of a range with several pieces; none where the driver knows no memory. */
  readonly pieces: readonly PieceFacts[];
  /** Whether its pool is the one that cuMemAllocAsync takes on its device; `null` when that cannot be asked. */
  readonly inDefaultPool: boolean | null;
  /** Size of the allocation in bytes, where the records or the driver say. */
  readonly bytes?: number | undefined;
  /** What its device can share. */
  readonly sharing: Sharing;
}
