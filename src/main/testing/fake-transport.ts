/** A driver host for unit tests: what it is told is kept, what it says and how it ends is up to the test. */
import type { FromHost, HostRequest, ToHost } from '#contract/host-protocol';
import type { Result } from '#contract/result';
import type { HostEnding, HostTransport } from '../hosts/transport';

export class FakeTransport implements HostTransport {
  readonly told: ToHost[] = [];
  killed = 0;
  /** What a kill does: `end` as a process, `nothing` as a thread inside a driver call. */
  onKill: 'end' | 'nothing' = 'end';
  /** Whether it ends when it is told to shut down. */
  obeys = true;
  private say: (message: FromHost) => void = () => {};
  private end: (ending: HostEnding) => void = () => {};

  constructor(readonly placement: HostTransport['placement'] = 'process') {}

  send(message: ToHost): void {
    this.told.push(message);
    if (message.kind === 'shutdown' && this.obeys) {
      this.says({ kind: 'done' });
      this.ends({ state: 'exited', words: 'exit code 0' });
    }
  }

  kill(): void {
    this.killed += 1;
    if (this.onKill === 'end') this.ends({ state: 'lost', words: 'SIGKILL' });
  }

  onMessage(listener: (message: FromHost) => void): void {
    this.say = listener;
  }

  onEnd(listener: (ending: HostEnding) => void): void {
    this.end = listener;
  }

  says(message: FromHost): void {
    this.say(message);
  }

  ends(ending: HostEnding): void {
    this.end(ending);
  }

  isReady(kind: 'real' | 'simulator' = 'simulator', pid = 4711): void {
    this.says({ kind: 'ready', pid, driver: { kind, version: '13.0', path: '/lib/x.so', attempts: [] } });
  }

  get requests(): HostRequest[] {
    return this.told.filter((message): message is HostRequest => message.kind === 'call');
  }

  /** Answers the request before last `back`, the last one when 0. */
  answers(result: Result<unknown>, back = 0): void {
    const request = this.requests.at(-1 - back);
    if (request === undefined) throw new Error('nothing was asked');
    this.says({ kind: 'answer', id: request.id, result });
  }
}
