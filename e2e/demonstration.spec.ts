/** The demonstration: from the button in the window, and as `npm start` plays it where there is no display. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { electronExecutable, electronFlags } from '../scripts/lib/electron.mjs';
import { at, root } from '../scripts/lib/paths.mjs';
import { api } from './harness/api';
import { removeFolder } from './harness/folders';
import { expect, realDriver, test } from './harness/test';

test('played in the windows: both processes see the same bytes, and go on', async ({ app, gpu }) => {
  test.setTimeout(120_000);
  await gpu.demo.play.value();
  const ledger = await gpu.ledger.snapshot.value();
  expect(ledger.peers.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'Inspector alive',
    'Producer 1 alive',
    'Consumer 1 alive',
  ]);
  const buffer = ledger.allocations.find((row) => row.label === 'shared text');
  const consumer = ledger.peers.find(({ role }) => role === 'consumer');
  const mapping = ledger.mappings.find((row) => row.peerId === consumer?.id);
  expect(mapping).toMatchObject({ state: 'open', exporter: 'alive', exporterPeerId: buffer?.peerId });

  const page = await app.windowOf(consumer?.id ?? '');
  const text = async () => {
    const { bytes } = await api(page).memory.read.value({ id: mapping?.id ?? '', offset: 0, length: 64 });
    return Buffer.from(bytes.slice(0, bytes.indexOf(0))).toString();
  };
  const first = await text();
  const producer = ledger.peers.find(({ role }) => role === 'producer');
  expect(first).toContain(String(producer?.pid));
  await expect.poll(text).not.toBe(first);
  // The consumer's window shows it without anybody having chosen it there.
  await expect(page.getByText('shared text').first()).toBeVisible();
});

/** Runs the app as `npm start` does without a display. */
async function headless(env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  const profile = mkdtempSync(join(tmpdir(), 'gpu-ipc-demo-'));
  try {
    const args = [...electronFlags(), '--disable-gpu', `--user-data-dir=${profile}`, root, '--demo-headless'];
    const child = spawn(electronExecutable() ?? '', args, {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: undefined, ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { code, output };
  } finally {
    await removeFolder(profile);
  }
}

test('played without anybody watching: checked, photographed, printed and let go of', async () => {
  rmSync(at('out/demo.png'), { force: true });
  const { code, output } = await headless({ GPU_IPC_DRIVER: realDriver ? 'real' : 'simulator' });
  expect(output).toMatch(/consumer \d+ reads what producer \d+ writes/);
  expect(output).toMatch(/producer \d+ reads what consumer \d+ wrote/);
  expect(output).toMatch(/waited \d+ ms for the producer's event/);
  expect(output).toMatch(/buffer +shared text +Producer 1 +64\.0 KiB +2 +live/);
  expect(output).toMatch(/mapping +shared text +Consumer 1 +.* open, exporter alive/);
  expect(output).toMatch(/buffer +shared text +Producer 1 +64\.0 KiB +0 +freed/);
  expect(output).toContain('Everything is released; both processes have ended.');
  expect(code).toBe(0);
  const picture = readFileSync(at('out/demo.png'));
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  // Three windows side by side.
  expect(picture.readUInt32BE(16)).toBeGreaterThan(1_440 + 520);
});

test('says why it could not be played, and fails', async () => {
  const { code, output } = await headless({ GPU_IPC_DRIVER: 'simulator', GPU_IPC_SIM_PATH: '/nowhere/libcuda-sim.so' });
  expect(output).toMatch(/The demonstration failed: \S/);
  expect(output).toContain('/nowhere/libcuda-sim.so');
  expect(code).toBe(1);
});
