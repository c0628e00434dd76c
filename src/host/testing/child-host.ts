/** Driver hosts in processes of their own, for what one process cannot do with itself. */
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: a build step of the tests, not part of the host
import { build } from 'vite';
import { afterAll, beforeAll } from 'vitest';
import type { FromHost } from '#contract/host-protocol';
import { root } from './driver';
import { type Link, TestHost } from './test-host';

export interface ChildHost extends TestHost {
  readonly child: ChildProcess;
  /** SIGKILL, and wait until it is gone. */
  kill(): Promise<void>;
  /** Resolves with the exit code when the process ends by itself. */
  readonly exit: Promise<number | null>;
}

const bundle = resolve(root, `build/host-test/child-${process.pid}.mjs`);
const children = new Set<ChildProcess>();

/** Call once at the top of a test file that uses `hostElsewhere`. */
export function prepareChildHosts(): void {
  beforeAll(async () => {
    await build({
      configFile: false,
      logLevel: 'warn',
      root,
      build: {
        ssr: resolve(import.meta.dirname, 'child-entry.ts'),
        outDir: dirname(bundle),
        emptyOutDir: false,
        target: 'node20',
        rollupOptions: { output: { format: 'es', entryFileNames: basename(bundle) } },
      },
    });
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(bundle, { force: true });
  });
}

/** A host in a new process, initialised. */
export async function hostElsewhere(peerId: string, env: NodeJS.ProcessEnv = {}): Promise<ChildHost> {
  const child = fork(bundle, [], { serialization: 'advanced', env: { ...process.env, ...env } });
  children.add(child);
  const exit = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  void exit.then(() => children.delete(child));
  const link: Link = {
    send: (message) => void child.send(message),
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
