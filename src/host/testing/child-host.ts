/** Driver hosts in processes of their own, for what one process cannot do with itself. */
import { type ChildProcess, fork } from 'node:child_process';
import { afterAll, beforeAll } from 'vitest';
import type { FromHost } from '#contract/host-protocol';
import { type Bundle, bundle } from './bundle';
import { type Link, TestHost } from './test-host';

export interface ChildHost extends TestHost {
  readonly child: ChildProcess;
  /** SIGKILL, and wait until it is gone. */
  kill(): Promise<void>;
  /** Resolves with the exit code when the process ends by itself. */
  readonly exit: Promise<number | null>;
}

let entry: Bundle | undefined;
const children = new Set<ChildProcess>();

/** Call once at the top of a test file that uses `hostElsewhere`. */
export function prepareChildHosts(): void {
  beforeAll(async () => {
    entry = await bundle('testing/child-entry.ts');
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    entry?.remove();
  });
}

/** A host in a new process, initialised. */
export async function hostElsewhere(peerId: string, env: NodeJS.ProcessEnv = {}): Promise<ChildHost> {
  if (!entry) throw new Error('prepareChildHosts was not called');
  const child = fork(entry.file, [], { serialization: 'advanced', env: { ...process.env, ...env } });
  children.add(child);
  const exit = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  void exit.then(() => children.delete(child));
  const link: Link = {
    // A process that was just killed takes no more messages: its calls stay unanswered.
    send: (message) => void child.send(message, () => {}),
    onMessage: (listener) => void child.on('message', (message: FromHost) => listener(message)),
  };
  const host = Object.assign(new TestHost(link, peerId), {
    child,
    exit,
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  });
  const first = await host.init();
  if (first.kind !== 'ready') throw new Error(JSON.stringify(first));
  return host;
}
