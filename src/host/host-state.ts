/** What every part of the host works on. */
import type { HostPort } from '#contract/host-protocol';
import type { Delays } from './delays';
import type { Offers } from './descriptors';
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
  /** True once shutdown has begun: work in steps stops at its next step. */
  ending: boolean;
}
