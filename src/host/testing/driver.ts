/** Which driver the tests of the host use: the simulator, built when it is missing, or GPU_IPC_DRIVER=real. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../../..');

export const simulatorPath = resolve(root, 'build/native/libcuda-sim.so');

export const onRealDriver = process.env.GPU_IPC_DRIVER === 'real';

/** The driver to ask a host for. */
export function testDriver(): 'real' | 'simulator' {
  if (onRealDriver) return 'real';
  if (!existsSync(simulatorPath)) {
    execFileSync(process.execPath, [resolve(root, 'scripts/native-build.mjs')], { stdio: 'inherit' });
  }
  return 'simulator';
}
