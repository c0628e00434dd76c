/** What the conformance tests run against: GPU_IPC_DRIVER=simulator (unless set otherwise) or real. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { realLibraryName } from '../cuda/index';

const root = resolve(import.meta.dirname, '../..');

export const onRealDriver = process.env.GPU_IPC_DRIVER === 'real';

/** Library for the peers. */
export function driverLibrary(): string {
  if (onRealDriver) return realLibraryName() ?? 'libcuda.so.1';
  const simulator = resolve(root, 'build/native/libcuda-sim.so');
  if (!existsSync(simulator)) throw new Error('the simulator is not built: node scripts/native-build.mjs');
  return simulator;
}

/** What runs in a process or thread of its own. */
export type Entry = 'peer' | 'thread';

/** The file that bundle.ts writes. */
export const bundled = (entry: Entry): string => resolve(root, `build/conformance/${entry}.mjs`);

/** Where a run writes what it measured (see report.ts); undefined to write nothing. */
export const recordTo = process.env.GPU_IPC_RECORD;
