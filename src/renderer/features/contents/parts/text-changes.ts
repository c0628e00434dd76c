/** Which texts of a view are others than when they were shown last, for as long as the cue of a change stays. */
const CUE_MS = 1600;

export class TextChanges {
  private before = new Map<string, string>();
  private now = new Map<string, string>();
  private readonly changedAt = new Map<string, number>();
  private version = -1;
  private basis: readonly unknown[] = [];

  constructor(private readonly clock: () => number = () => performance.now()) {}

  /**
   * A drawing begins. A new `version` of the bytes is compared with the last one; with another `basis` (layout, type) the
   * same place means something else, so nothing counts as a change.
   */
  begin(version: number, basis: readonly unknown[]): void {
    if (basis.length !== this.basis.length || basis.some((one, i) => one !== this.basis[i])) {
      this.basis = basis;
      this.now = new Map();
      this.changedAt.clear();
      this.before = new Map();
      this.version = version;
      return;
    }
    if (version === this.version) return;
    this.version = version;
    this.before = this.now;
    this.now = new Map();
    for (const [key, at] of this.changedAt) if (this.clock() - at > CUE_MS) this.changedAt.delete(key);
  }

  /** Whether the text at a place carries the cue. */
  isChanged(key: string, text: string): boolean {
    const before = this.before.get(key);
    this.now.set(key, text);
    if (before !== undefined && before !== text) {
      this.before.set(key, text);
      this.changedAt.set(key, this.clock());
      return true;
    }
    const at = this.changedAt.get(key);
    return at !== undefined && this.clock() - at < CUE_MS;
  }
}
