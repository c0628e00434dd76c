import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuIpcError } from '#contract/result';
import { type LoadOptions, loadDriver, realLibraryName } from './load';

const simulatorPath = resolve(import.meta.dirname, '../../build/native/libcuda-sim.so');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-load-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A driver library that answers nothing but a version, a cuInit result and a device count. */
function driverThat(answers: {
  version: number;
  init?: number;
  devices?: number;
  versionResult?: number;
  countResult?: number;
}): string {
  const source = join(folder, 'driver.c');
  const library = join(folder, `libcuda-${Object.values(answers).join('-')}.so`);
  writeFileSync(
    source,
    `int cuDriverGetVersion(int *v) { *v = ${answers.version}; return ${answers.versionResult ?? 0}; }
     int cuInit(unsigned flags) { return ${answers.init ?? 0}; }
     int cuDeviceGetCount(int *n) { *n = ${answers.devices ?? 1}; return ${answers.countResult ?? 0}; }\n`,
  );
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source]);
  return library;
}

function errorOf(options: Partial<LoadOptions>): GpuIpcError['error'] {
  try {
    loadDriver({ driver: 'real', simulatorPath, platform: 'linux', ...options });
  } catch (error) {
    if (error instanceof GpuIpcError) return error.error;
    throw error;
  }
  throw new Error('a driver was loaded');
}

describe.skipIf(process.platform !== 'linux')('why there is no real driver', () => {
  it('the library is not there', () => {
    expect(errorOf({ realLibrary: 'libcuda-nowhere.so.1' })).toMatchObject({
      code: 'no-driver',
      message: expect.stringMatching(/^No NVIDIA driver: libcuda-nowhere\.so\.1 was not found/),
    });
  });

  it('the library is no library', () => {
    const file = join(folder, 'libcuda-text.so');
    writeFileSync(file, 'not a library');
    expect(errorOf({ realLibrary: file }).message).toMatch(/was found but cannot be loaded: /);
  });

  it('the library is no driver', () => {
    expect(errorOf({ realLibrary: 'libc.so.6' }).message).toMatch(/does not answer as a CUDA driver/);
  });

  it('the driver is too old', () => {
    expect(errorOf({ realLibrary: driverThat({ version: 10_020 }) }).message).toMatch(
      /too old: it supports CUDA 10\.2, and 11\.0 is needed/,
    );
  });

  it('there is no GPU', () => {
    const error = errorOf({ realLibrary: driverThat({ version: 13_000, init: 100 }) });
    expect(error.message).toMatch(/finds no GPU for this process \(NO_DEVICE 100\)/);
    expect(error).toMatchObject({ call: 'cuInit', cuda: { result: 100, name: 'CUDA_ERROR_NO_DEVICE' } });
    expect(error.hint).toMatch(/CUDA_VISIBLE_DEVICES/);
    expect(errorOf({ realLibrary: driverThat({ version: 13_000, devices: 0 }) }).message).toMatch(/finds no GPU/);
  });

  it('the kernel module and the library disagree, or the driver does not start', () => {
    expect(errorOf({ realLibrary: driverThat({ version: 13_000, init: 803 }) }).message).toMatch(
      /SYSTEM_DRIVER_MISMATCH 803.*Reboot/,
    );
    expect(errorOf({ realLibrary: driverThat({ version: 13_000, init: 999 }) }).message).toMatch(/nvidia-uvm/);
  });

  it('the driver starts but does not count its devices', () => {
    const error = errorOf({ realLibrary: driverThat({ version: 13_000, countResult: 46 }) });
    expect(error).toMatchObject({ code: 'no-driver', call: 'cuDeviceGetCount', cuda: { result: 46 } });
  });

  it('the system has none', () => {
    expect(errorOf({ platform: 'darwin' }).message).toBe('No NVIDIA driver: there is no CUDA driver for macOS.');
    expect(realLibraryName('win32')).toBe('nvcuda.dll');
  });

  it('the next step is said', () => {
    expect(errorOf({ realLibrary: 'libcuda-nowhere.so.1' }).hint).toMatch(
      /^Install .*GPU_IPC_DRIVER=simulator\. Tried/,
    );
    expect(errorOf({ driver: 'simulator', simulatorPath: 'libc.so.6' }).hint).toMatch(/^Build the simulator: npm run/);
    const none = errorOf({ driver: 'simulator', simulatorPath: driverThat({ version: 13_000, init: 100 }) });
    expect(none.hint).toMatch(/^Set GPU_IPC_SIM_DEVICES/);
  });

  it('nor a simulator', () => {
    const error = errorOf({ driver: 'auto', realLibrary: 'libcuda-nowhere.so.1', simulatorPath: '/nowhere/sim.so' });
    expect(error.message).toMatch(/NVIDIA driver: libcuda-nowhere.*Simulator: it has not been built/);
    expect(errorOf({ driver: 'simulator', simulatorPath: '/nowhere/sim.so' }).message).toMatch(/not been built/);
  });

  it('a real driver says whether there is a simulator beside it', () => {
    const realLibrary = driverThat({ version: 13_000, devices: 1 });
    const without = loadDriver({ driver: 'auto', platform: 'linux', realLibrary, simulatorPath: '/nowhere/sim.so' });
    expect(without.info).toMatchObject({
      kind: 'real',
      noSimulator: expect.stringMatching(/C compiler.*npm run setup/),
    });
    const beside = loadDriver({ driver: 'auto', platform: 'linux', realLibrary, simulatorPath });
    expect(beside.info).toMatchObject({ kind: 'real' });
    expect(beside.info.noSimulator).toBeUndefined();
  });
});

describe.skipIf(process.platform !== 'linux')('the simulator', () => {
  beforeAll(() => {
    if (!existsSync(simulatorPath)) throw new Error('the simulator is not built: node scripts/native-build.mjs');
  });

  it('is taken when no real driver answers, and says why', () => {
    const realLibrary = driverThat({ version: 13_000, init: 100 });
    const { cuda, info } = loadDriver({ driver: 'auto', simulatorPath, realLibrary, platform: 'linux' });
    expect(info).toMatchObject({
      kind: 'simulator',
      path: simulatorPath,
      version: '13.0',
      reason: expect.stringMatching(/finds no GPU/),
    });
    expect(info.attempts.filter(({ ok }) => ok === false).map(({ what }) => what)).toContain('cuInit');
    expect(info.attempts[info.attempts.length - 1]).toMatchObject({ what: 'cuDeviceGetCount', ok: true });
    expect(cuda.deviceGetCount()).toBeGreaterThan(0);
  });

  it('is taken when asked for, without trying anything else', () => {
    const { info } = loadDriver({ driver: 'simulator', simulatorPath, realLibrary: 'libcuda-nowhere.so.1' });
    expect(info.reason).toMatch(/asked for/);
    expect(info.attempts.map(({ what }) => what)).not.toContain('libcuda-nowhere.so.1');
  });

  it('reports every call to the observer, with inputs only', () => {
    const seen: [string, readonly unknown[], number][] = [];
    const { cuda } = loadDriver({
      driver: 'simulator',
      simulatorPath,
      observer: (name, args, result, us) => {
        expect(us).toBeGreaterThanOrEqual(0);
        seen.push([name, args, result]);
      },
    });
    expect(seen.map(([name]) => name)).toEqual(['cuDriverGetVersion', 'cuInit', 'cuDeviceGetCount']);
    seen.length = 0;
    expect(() => cuda.deviceGet(99)).toThrow(GpuIpcError);
    expect(seen).toEqual([['cuDeviceGet', [99], 101]]);
  });
});
