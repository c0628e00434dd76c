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

/** The same for what is read rather than watched: not more often than every `ms` milliseconds, and the last is never lost. */
export function calmed(source: Signal, ms: number): Signal {
  const calm = new Signal();
  let last = Number.NEGATIVE_INFINITY;
  let due: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    due = undefined;
    last = performance.now();
    calm.emit();
  };
  source.subscribe(() => {
    const left = last + ms - performance.now();
    if (left <= 0 && due === undefined) tell();
    else due ??= setTimeout(tell, left);
  });
  return calm;
}
