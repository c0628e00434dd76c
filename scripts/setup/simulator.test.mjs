/** The set-up of a machine without a C compiler, run as it is, in a copy of the project. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at } from '../lib/paths.mjs';
import { plan } from './simulator.mjs';

describe('plan', () => {
  const simulator = { canBeHad: false, neededFor: undefined, driverAnswers: false };

  it('builds wherever it can', () => {
    expect(plan({ ...simulator, canBeHad: true })).toBe('build');
    expect(plan({ ...simulator, canBeHad: true, driverAnswers: true })).toBe('build');
  });

  it('goes on without only where a driver answers and nobody needs the simulator', () => {
    expect(plan({ ...simulator, driverAnswers: true })).toBe('go on without');
    expect(plan({ ...simulator, driverAnswers: true, neededFor: 'npm test runs on it' })).toBe('get a compiler');
    expect(plan(simulator)).toBe('get a compiler');
  });
});

describe.skipIf(process.platform !== 'linux')('without a C compiler', () => {
  /** @type {string} */
  let copy;

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'gpu-ipc-setup-'));
    for (const part of ['scripts', 'package.json', 'package-lock.json', 'native-bridge']) {
      cpSync(at(part), join(copy, part), { recursive: true });
    }
    symlinkSync(at('node_modules'), join(copy, 'node_modules'));
    for (const folder of ['programs', 'electron', 'libraries']) mkdirSync(join(copy, folder));
    // It only has to be there.
    writeFileSync(join(copy, 'electron/electron'), '');
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  /** What the loader finds as the machine's own driver: the simulator under that name, or something broken. @param {boolean} answers */
  function driver(answers) {
    const library = join(copy, 'libraries/libcuda.so.1');
    if (answers) cpSync(at('build/native/libcuda-sim.so'), library);
    else writeFileSync(library, 'not a library');
  }

  /** @param {string} script @param {readonly string[]} args @param {NodeJS.ProcessEnv} more */
  function run(script, args = [], more = {}) {
    const { GPU_IPC_DRIVER: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, script), ...args], {
      encoding: 'utf8',
      env: {
        ...env,
        // Neither a compiler nor a package manager, and no need for a virtual display.
        PATH: join(copy, 'programs'),
        DISPLAY: ':0',
        LD_LIBRARY_PATH: join(copy, 'libraries'),
        ELECTRON_OVERRIDE_DIST_PATH: join(copy, 'electron'),
        ...more,
      },
    });
    return { status, output: stdout + stderr };
  }

  it('goes on where a driver answers, and says that there is no simulator', () => {
    driver(true);
    const { status, output } = run('scripts/setup.mjs');
    expect(output).toContain('The simulator is not available: it is built with a C compiler, and there is none.');
    expect(output).toMatch(/To have the simulator too:\n.*install.*gcc.*&& npm run setup/);
    expect(output).toContain('Everything is in place');
    expect(status).toBe(0);
    expect(existsSync(join(copy, 'build'))).toBe(false);
  });

  it('stops where no driver answers', () => {
    driver(false);
    const { status, output } = run('scripts/setup.mjs');
    expect(output).toMatch(/^Missing: a C compiler\.$/m);
    expect(status).toBe(1);
  });

  it('stops when the simulator was asked for', () => {
    driver(true);
    const { status, output } = run('scripts/setup.mjs', [], { GPU_IPC_DRIVER: 'simulator' });
    expect(output).toContain('GPU_IPC_DRIVER=simulator asks for the simulator, which is built with a C compiler.');
    expect(status).toBe(1);
  });

  it('stops npm test before the first step', () => {
    driver(true);
    const { status, output } = run('scripts/test.mjs', ['conformance']);
    expect(output).toContain('npm test runs on the simulator, which is built with a C compiler.');
    expect(output).not.toContain('Conformance');
    expect(status).toBe(1);
  });

  it('is content with a simulator that was built from these sources before', () => {
    driver(false);
    cpSync(at('build/native'), join(copy, 'build/native'), { recursive: true });
    const { status, output } = run('scripts/setup.mjs');
    expect(output).toBe('Everything is in place: npm start\n');
    expect(status).toBe(0);
  });
});
