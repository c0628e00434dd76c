/** What the command line and the environment ask for. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostInit } from '#contract/host-protocol';

export interface Wishes {
  /** Play the demonstration in visible windows and stay. */
  readonly demo: boolean;
  /** Play it, check it, write out/demo.png, print the ledger and end. */
  readonly demoHeadless: boolean;
  readonly driver: HostInit['driver'];
}

/** Reads the arguments after the program's own, and GPU_IPC_DRIVER. Unknown words are Chromium's business. */
export function wishes(argv: readonly string[], env: NodeJS.ProcessEnv): Wishes {
  const demoHeadless = argv.includes('--demo-headless');
  return {
    demo: argv.includes('--demo') && !demoHeadless,
    demoHeadless,
    driver: driverOf(env.GPU_IPC_DRIVER),
  };
}

function driverOf(word: string | undefined): HostInit['driver'] {
  const driver = word?.trim().toLowerCase() ?? '';
  if (driver === 'real' || driver === 'simulator' || driver === 'auto' || driver === '') return driver || 'auto';
  console.error(`GPU_IPC_DRIVER=${word} is none of auto, real, simulator; using auto.`);
  return 'auto';
}

/**
 * Where the simulator library is, whether or not it exists.
 * @param appPath        folder of package.json
 * @param resourcesPath  where a packaged app keeps its files outside the archive
 */
export function simulatorPath(appPath: string, resourcesPath: string | undefined, env: NodeJS.ProcessEnv): string {
  const chosen = env.GPU_IPC_SIM_PATH;
  if (chosen !== undefined && chosen !== '') return chosen;
  const packaged = resourcesPath === undefined ? undefined : join(resourcesPath, 'native', 'libcuda-sim.so');
  if (packaged !== undefined && existsSync(packaged)) return packaged;
  return join(appPath, 'build', 'native', 'libcuda-sim.so');
}
