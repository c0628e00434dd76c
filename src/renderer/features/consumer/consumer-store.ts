/** What a consumer window remembers besides the ledger: what was chosen, pasted and done. */
import { create } from 'zustand';
import type { ShareDescriptor } from '#contract/descriptor';
import type { HandleForm } from '#contract/handle-text';
import type { EventStatus } from '#contract/values';
import type { WriteForm } from './write-input';

/** 64 bytes in one of their forms, or a share descriptor. */
export type Pasted = { readonly text: string } & (
  | { readonly handle: Uint8Array<ArrayBuffer>; readonly form: HandleForm; readonly descriptor?: undefined }
  | { readonly descriptor: ShareDescriptor; readonly handle?: undefined }
);

/** What opens pasted memory. */
export type Source = { readonly handle: Uint8Array<ArrayBuffer> } | { readonly descriptor: string };

/** The key of the offer that stands for the pasted handle, before it is open. */
export const PASTED = 'pasted';

/** An open that succeeded. */
export interface Opening {
  /** Base address of the memory in this process. */
  readonly address: string;
  /** When the answer was here, milliseconds since 1970. */
  readonly at: number;
}

/** How a wait for an event ended. */
export interface Outcome {
  readonly how: EventStatus | 'stopped';
  readonly seconds: number;
  /** The most it would have waited, in seconds. */
  readonly limit: number;
}

interface ConsumerStore {
  /** Key of the chosen offer, or PASTED. */
  readonly chosen: string | undefined;
  readonly pasting: boolean;
  /** The newest handle that was pasted and understood. */
  readonly pasted: Pasted | undefined;
  /** Of open memory that no process of this app exported, by its base address: what opens it again. */
  readonly sources: ReadonlyMap<string, Source>;
  /** The view that the strip shows; the newest when it is not open. */
  readonly view: string | undefined;
  /** Where the strip begins in that view. */
  readonly stripOffset: number;
  /** What the driver answered, open by open, by offer. */
  readonly opens: ReadonlyMap<string, readonly Opening[]>;
  /** Offers that were written to, whose event was ready, and that were closed, from here. */
  readonly wrote: ReadonlySet<string>;
  readonly ready: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
  /** How the newest wait for each event ended, by the export's id. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly lazyPeerAccess: boolean;
  /** What this process's device may do with virtual memory that is opened. */
  readonly access: 'read' | 'read-write';
  readonly write: { readonly at: string; readonly bytes: string; readonly form: WriteForm };
}

const nothingDone = {
  chosen: undefined,
  pasting: false,
  pasted: undefined,
  sources: new Map<string, Source>(),
  view: undefined,
  stripOffset: 0,
  opens: new Map<string, readonly Opening[]>(),
  wrote: new Set<string>(),
  ready: new Set<string>(),
  closed: new Set<string>(),
  outcomes: new Map<string, Outcome>(),
  lazyPeerAccess: true,
  access: 'read-write' as const,
};

export const useConsumer = create<ConsumerStore>(() => ({
  ...nothingDone,
  write: { at: '0x1b', bytes: '21 21', form: 'hex' },
}));

/** A new process has nothing open: what was typed stays, what was done does not. */
export function forgetAll(): void {
  useConsumer.setState(nothingDone);
}

export function choose(key: string): void {
  useConsumer.setState({ chosen: key, view: undefined, stripOffset: 0 });
}

type Mark = 'wrote' | 'ready' | 'closed';

export function mark(what: Mark, key: string, on = true): void {
  useConsumer.setState((store) => {
    const next = new Set(store[what]);
    if (on) next.add(key);
    else next.delete(key);
    return { ...store, [what]: next };
  });
}

export function setOutcome(exportId: string, outcome: Outcome | undefined): void {
  useConsumer.setState(({ outcomes }) => {
    const next = new Map(outcomes);
    if (outcome === undefined) next.delete(exportId);
    else next.set(exportId, outcome);
    return { outcomes: next };
  });
}

/** Remembers an open that succeeded; `first` when nothing of that memory was open before. */
export function addOpening(key: string, address: string, first: boolean): void {
  useConsumer.setState(({ opens }) => ({
    opens: new Map(opens).set(key, [...(first ? [] : (opens.get(key) ?? [])), { address, at: Date.now() }]),
  }));
}

/** The pasted handle is open, under the key of an offer from now on: of its mapping, or of the export it turned out to be. */
export function pastedBecame(key: string, view: string, alreadyOpen: boolean): void {
  useConsumer.setState((store) => {
    const opens = new Map(store.opens);
    const here = opens.get(PASTED) ?? [];
    opens.set(key, alreadyOpen ? [...(opens.get(key) ?? []), ...here] : here);
    opens.delete(PASTED);
    return { chosen: key, view, stripOffset: 0, pasted: undefined, pasting: false, opens };
  });
}
