import { useSyncExternalStore } from 'react';
import type { Signal } from './signal';

/** A value that may change when the signal is emitted; renders again only when it is another one. Use primitives. */
export const useSignal = <T>(signal: Signal, value: () => T): T => useSyncExternalStore(signal.subscribe, value);
