/** The simulator by itself: its C test cases, and two Python processes that use it as strangers. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildNative, NATIVE_FILES } from '../../scripts/native-build.mjs';

const onLinux = process.platform === 'linux';

/** Collected before the tests exist, so the build has to come first; on another system there is nothing to run. */
if (onLinux) await buildNative();
const cases = onLinux
  ? execFileSync(NATIVE_FILES.tests, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean)
  : [];

describe.runIf(onLinux)('simulator', () => {
  let sharedFilesBefore: string[] = [];
  beforeAll(() => {
    sharedFilesBefore = simulatorFiles();
  });

  it('has test cases', () => {
    expect(cases.length).toBeGreaterThan(20);
  });

  it.each(cases)('%s', (name) => {
    const run = spawnSync(NATIVE_FILES.tests, [name], { encoding: 'utf8', timeout: 60_000 });
    expect({ status: run.status, signal: run.signal, output: run.stderr }).toEqual({
      status: 0,
      signal: null,
      output: '',
    });
  });

  it.runIf(spawnSync('python3', ['--version']).status === 0)('works from Python through ctypes', () => {
    const script = join(import.meta.dirname, 'test', 'two_processes.py');
    const run = spawnSync('python3', [script, NATIVE_FILES.simulator], { encoding: 'utf8', timeout: 60_000 });
    expect({ status: run.status, output: run.stderr }).toEqual({ status: 0, output: '' });
  });

  it('leaves no file behind', () => {
    expect(simulatorFiles()).toEqual(sharedFilesBefore);
  });
});

describe.runIf(onLinux)('native build', () => {
  it('does nothing when nothing changed', async () => {
    const begun = performance.now();
    expect((await buildNative()).built).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it('exports the driver symbols and nothing else', () => {
    const symbols = execFileSync('nm', ['-D', '--defined-only', NATIVE_FILES.simulator], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ').at(-1));
    expect(symbols).toContain('cuIpcOpenMemHandle_v2');
    expect(symbols.filter((symbol) => !symbol?.startsWith('cu'))).toEqual([]);
  });
});

/** Names that a simulator could leave where shared memory files live. */
function simulatorFiles(): string[] {
  return readdirSync('/dev/shm').filter((name) => /cuda|gpu-ipc-sim/.test(name));
}
