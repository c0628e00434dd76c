/** A place in a memory that is not on screen yet: what comes on screen goes there. */
interface Wish {
  /** Of the allocation or mapping whose bytes are shown. */
  readonly id: string;
  /** In the whole memory, from its first byte on; see `placeOf`. */
  readonly offset: number;
  readonly bytes: number;
}

let wish: (Wish & { readonly until: number }) | undefined;

/** When this memory appears within two seconds, its cursor goes to the place. */
export function wishPlace(wanted: Wish): void {
  wish = { ...wanted, until: performance.now() + 2000 };
}

/** The place that is wished for in this memory; the wish is over then. */
export function takePlaceWish(id: string): Wish | undefined {
  if (wish?.id !== id) return undefined;
  const taken = performance.now() < wish.until ? wish : undefined;
  wish = undefined;
  return taken;
}
