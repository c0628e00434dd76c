/** The window without any driver: it says why, and finds one that appears later. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/lib/paths.mjs';
import { App } from './harness/app';
import { expect, realDriver, test } from './harness/test';

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
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});
