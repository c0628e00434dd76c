/**
 * A driver host as main holds it: something that takes messages and ends. Whether it is a thread or a process is known
 * to the two adapters beside this file only.
 */
import type { FromHost, ToHost } from '#contract/host-protocol';

export interface HostEnding {
  /** `exited`: by itself with code 0. `lost`: killed, crashed or ended with an error. */
  readonly state: 'exited' | 'lost';
  /** `SIGKILL`, `exit code 1`. */
  readonly words: string;
}

export interface HostTransport {
  readonly placement: 'thread' | 'process';
  send(message: ToHost): void;
  /** Ends it without asking. A thread that is inside a driver call ends only when that call returns. */
  kill(): void;
  onMessage(listener: (message: FromHost) => void): void;
  /** Called once, after the last message. */
  onEnd(listener: (ending: HostEnding) => void): void;
}
