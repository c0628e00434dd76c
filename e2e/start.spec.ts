/** `npm start` as a person without a display runs it, and what a signal leaves behind. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/lib/paths.mjs';
import { removeFolder } from './harness/folders';
import { Leftovers } from './harness/leftovers';
import { expect, test } from './harness/test';

test.skip(process.platform !== 'linux', 'virtual displays are a matter of Linux');
test.skip(Boolean(process.env.ELECTRON_RUN_AS_NODE), 'there is no Node here to start with');

// Where somebody built the app by hand, it is built again first.
test.setTimeout(150_000);

let profile: string;
test.beforeEach(() => {
  profile = mkdtempSync(join(tmpdir(), 'gpu-ipc-start-'));
});
test.afterEach(async () => {
  for (const run of runs.splice(0)) {
    run.child.kill();
    await run.ended;
  }
  await removeFolder(profile);
});

interface Run {
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  output: string;
}
const runs: Run[] = [];

/** Starts the script; `output` grows while it runs. */
function start(args: readonly string[], env: NodeJS.ProcessEnv): Run {
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs'), ...args], {
    env: { GPU_IPC_DRIVER: 'simulator', ...env, XDG_CONFIG_HOME: profile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run: Run = { child, output: '', ended: ended(child) };
  runs.push(run);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      run.output += text;
    });
  }
  return run;
}

const ended = (child: ChildProcess): Run['ended'] =>
  new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));

/** The environment without a display. */
function blind(): NodeJS.ProcessEnv {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  return env;
}

function watch(child: ChildProcess): Leftovers {
  const leftovers = new Leftovers(test.info().config.workers === 1);
  leftovers.main = child.pid;
  return leftovers;
}

test('without a display it plays the demonstration on a virtual one, and ends well', async () => {
  const before = Date.now();
  const run = start([], blind());
  const leftovers = watch(run.child);
  await expect.poll(() => run.output, { timeout: 90_000 }).toContain('The ledger while it runs');
  leftovers.remember();
  expect(await run.ended, run.output).toBe(0);
  expect(run.output).toMatch(/consumer \d+ reads what producer \d+ writes/);
  expect(run.output).toContain('Everything is released');
  const picture = statSync(join(root, 'out/demo.png'));
  expect(picture.size).toBeGreaterThan(20_000);
  expect(picture.mtimeMs).toBeGreaterThan(before);
  await expect.poll(() => leftovers.list()).toEqual([]);
  leftovers.stop();
});

test('it ends well when nobody reads its output any more', async () => {
  const run = start([], blind());
  const leftovers = watch(run.child);
  await expect.poll(() => run.output, { timeout: 90_000 }).toContain('There is no display');
  leftovers.remember();
  run.child.stdout?.destroy();
  run.child.stderr?.destroy();
  expect(await run.ended).toBe(0);
  await expect.poll(() => leftovers.list()).toEqual([]);
  leftovers.stop();
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends the app and everything it started`, async () => {
    const run = start(['--demo'], process.env);
    const leftovers = watch(run.child);
    await expect.poll(() => run.output, { timeout: 90_000 }).toMatch(/reads what producer/);
    leftovers.remember();
    run.child.kill(signal);
    expect(await run.ended).toBe(signal);
    await expect.poll(() => leftovers.list(), { timeout: 5000 }).toEqual([]);
    leftovers.stop();
  });
}
