/** A thing that happens: listeners are called in order, each until it unsubscribes. */
export class Signal {
  private readonly listeners = new Set<() => void>();

  /** For useSyncExternalStore as well. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  emit(): void {
    for (const listener of this.listeners) listener();
  }
}
