/**
 * Calls between main and hosts for checks, verdicts and trials. A trial has an exporter, the host of the process that has the
 * memory, and an importer, a host in a process that is made for it. Main tells both what to do, one step after another.
 */
import type { Trial, Verdict } from './calls/sharing';
import type { IpcError } from './result';
import type { Mechanism } from './values';

export type TrialStep = Trial['steps'][number];

/** A stretch of the memory, in bytes from its beginning. */
export interface TrialPart {
  readonly offset: number;
  readonly length: number;
}

/** What an importer needs to open the memory, besides the descriptors. */
export interface TrialOffer {
  readonly mechanism: Mechanism;
  /** Of a legacy handle, a pool's allocation, or a fabric handle. */
  readonly handle: Uint8Array | null;
  /** How many descriptors go with it: of the pool, or one for each piece. */
  readonly descriptors: number;
  /** Where each piece of virtual memory lies; one that is the whole memory of everything else. */
  readonly pieces: readonly TrialPart[];
  readonly device: number;
  /** Bytes of the memory, with what lies between the pieces. */
  readonly bytes: number;
}

/** What was done, and the error that ended it. */
export interface TrialProgress {
  readonly steps: readonly TrialStep[];
  readonly error?: IpcError;
}

export interface TrialChecksum {
  readonly checksum: string;
  readonly us: number;
}

export interface TrialCalls {
  /** Whether the observed layout of handles was seen to hold on handles made here, of memory and of events. */
  'handles.layout': { args: Record<string, never>; value: { holds: boolean } };
  'sharing.verdict': { args: { id?: string; address?: string }; value: Verdict };
  /** In the exporter: makes what the importer needs. Nothing of it is in the ledger; `trial.end` lets go of it. */
  'trial.export': {
    args: { id: string; mechanism: Mechanism };
    value: TrialProgress & { token: string; offer: TrialOffer | null; label: string; ofBytes: number };
  };
  /** In the exporter: gives the descriptors to the first connection of process `toPid`, as `descriptors.offer`. */
  'trial.offer': { args: { token: string; toPid: number }; value: { name: string } };
  /** In the importer; answers a token too. `socket`: where the descriptors are to be had. */
  'trial.open': {
    args: { offer: TrialOffer; socket: string | null };
    value: TrialProgress & { token: string | null };
  };
  /** In either: SHA-256 over the parts, in their order. */
  'trial.checksum': { args: { token: string; parts: readonly TrialPart[] }; value: TrialChecksum };
  /** In either: releases everything in the right order. */
  'trial.end': { args: { token: string }; value: TrialProgress };
}
