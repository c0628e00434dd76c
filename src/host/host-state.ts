/** What every part of the host works on. */
import type { HostInit, HostPort } from '#contract/host-protocol';
import type { Jobs } from './contents/jobs';
import type { Delays } from './delays';
import type { Offers } from './descriptors';
import type { WholeBufferCalls } from './kernels/types';
import type { MemoryStreams } from './memory-streams';
import type { Objects } from './objects';
import type { Report } from './report';
import type { Session } from './session';
import type { Staging } from './staging';

export interface HostState {
  readonly peerId: string;
  readonly port: HostPort;
  readonly session: Session;
  readonly report: Report;
  readonly objects: Objects;
  readonly staging: Staging;
  readonly delays: Delays;
  readonly memoryStreams: MemoryStreams;
  readonly offers: Offers;
  /** Long work that runs. Before memory goes, what works on it has to have ended: `jobs.endOf`. */
  readonly jobs: Jobs;
  readonly kernels: WholeBufferCalls;
  /** Where snapshots lie. */
  readonly snapshotPlace: Pick<HostInit, 'scratchFolder' | 'snapshotMemory'>;
  /** True once shutdown has begun: work in steps stops at its next step. */
  ending: boolean;
}
