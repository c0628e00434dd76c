/** A driver host in a plain Node process, as main holds one, for tests without Electron. */
import { type ChildProcess, fork } from 'node:child_process';
import type { FromHost } from '#contract/host-protocol';
import { type Bundle, bundle } from '#host/testing/bundle';
import type { HostTransport } from '../hosts/transport';

export class ChildTransports {
  /** Every process that was started, in order. */
  readonly started: ChildProcess[] = [];

  private constructor(private readonly entry: Bundle) {}

  static async prepare(): Promise<ChildTransports> {
    return new ChildTransports(await bundle('testing/child-entry.ts'));
  }

  start(env: NodeJS.ProcessEnv = {}): HostTransport {
    const child = fork(this.entry.file, [], { serialization: 'advanced', env: { ...process.env, ...env } });
    this.started.push(child);
    return {
      placement: 'process',
      send: (message) => void child.send(message, () => {}),
      kill: () => void child.kill('SIGKILL'),
      onMessage: (listener) => void child.on('message', (message: FromHost) => listener(message)),
      onEnd: (listener) =>
        void child.once('exit', (code, signal) =>
          listener(
            code === 0 ? { state: 'exited', words: 'exit code 0' } : { state: 'lost', words: signal ?? `${code}` },
          ),
        ),
    };
  }

  /** Whether all of them have ended. */
  get allEnded(): boolean {
    return this.started.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
  }

  remove(): void {
    for (const child of this.started) child.kill('SIGKILL');
    this.entry.remove();
  }
}
