/** Which rows hang on which: the exports of an object, and what was opened from an export. */

class Links {
  private readonly sets = new Map<string, Set<string>>();

  add(from: string, to: string): void {
    const set = this.sets.get(from);
    if (set === undefined) this.sets.set(from, new Set([to]));
    else set.add(to);
  }

  delete(from: string, to: string): void {
    const set = this.sets.get(from);
    if (set?.delete(to) && set.size === 0) this.sets.delete(from);
  }

  of(from: string): readonly string[] {
    return [...(this.sets.get(from) ?? [])];
  }

  has(from: string): boolean {
    return this.sets.has(from);
  }
}

export class LedgerLinks {
  /** Allocation, event, pool or physical memory → its exports. */
  readonly exportsOf = new Links();
  /** Export → mappings and imported events, pools and physical memory, also closed ones that are still shown. */
  readonly importsOf = new Links();
}
