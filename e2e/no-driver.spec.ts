/** The window without any driver: it says why, and finds one that appears later; and without the simulator. */

import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/lib/paths.mjs';
import { App } from './harness/app';
import { removeFolder } from './harness/folders';
import { expect, realDriver, screenshot, test } from './harness/test';

test('asking again finds a driver that was not there before', async () => {
  test.skip(realDriver, 'the simulator can be put in its place while the app runs');
  const folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-late-'));
  const library = join(folder, 'libcuda-sim.so');
  const app = await App.launch({ env: { GPU_IPC_SIM_PATH: library } });
  const devices = (await app.inspector()).getByRole('navigation', { name: 'Devices' });
  await expect(devices.getByText(/has not been built/).first()).toBeVisible();

  const again = devices.getByRole('button', { name: 'Ask again' });
  await again.click();
  await expect(devices.getByText(/has not been built/).first()).toBeVisible();

  copyFileSync(join(root, 'build/native/libcuda-sim.so'), library);
  await again.click();
  await expect(devices.getByText('Simulated GPU')).toBeVisible();
  await (await app.api()).buffers.create.value({ device: 0, bytes: 4096 });
  await app.close();
  await removeFolder(folder);
});

test('a machine with a driver and without the simulator says so, and what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-no-sim-'));
  const env: Record<string, string> = { GPU_IPC_DRIVER: 'real', GPU_IPC_SIM_PATH: join(folder, 'libcuda-sim.so') };
  if (!realDriver) {
    // To the app the simulator under this name is the machine's own driver.
    mkdirSync(join(folder, 'libraries'));
    copyFileSync(join(root, 'build/native/libcuda-sim.so'), join(folder, 'libraries/libcuda.so.1'));
    env.LD_LIBRARY_PATH = [join(folder, 'libraries'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  }
  const app = await App.launch({ env });
  const inspector = await app.inspector();
  await inspector.getByRole('button', { name: /^GPU 0,/ }).click();
  const details = inspector.getByRole('region', { name: 'Details' });
  await expect(details.getByText(/Not available on this machine/)).toContainText('install gcc, then run npm run setup');
  await screenshot(inspector, 'no-simulator');
  await app.close();
  await removeFolder(folder);
});
