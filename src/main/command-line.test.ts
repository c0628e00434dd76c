import { describe, expect, it, vi } from 'vitest';
import { simulatorPath, wishes } from './command-line';

describe('wishes', () => {
  it('reads what is asked for and leaves the rest to Chromium', () => {
    expect(wishes(['.', '--no-sandbox'], {})).toEqual({ demo: false, demoHeadless: false, driver: 'auto' });
    expect(wishes(['--demo'], { GPU_IPC_DRIVER: 'Simulator' })).toEqual({
      demo: true,
      demoHeadless: false,
      driver: 'simulator',
    });
    expect(wishes(['--demo', '--demo-headless'], { GPU_IPC_DRIVER: '' })).toMatchObject({
      demo: false,
      demoHeadless: true,
      driver: 'auto',
    });
  });

  it('says so when GPU_IPC_DRIVER is none of its words', () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(wishes([], { GPU_IPC_DRIVER: 'cuda' }).driver).toBe('auto');
    expect(said).toHaveBeenCalledWith(expect.stringContaining('cuda'));
    said.mockRestore();
  });
});

describe('simulatorPath', () => {
  it('is in the build, unless told otherwise', () => {
    expect(simulatorPath('/src', undefined, {})).toBe('/src/build/native/libcuda-sim.so');
    expect(simulatorPath('/src', '/no/resources', {})).toBe('/src/build/native/libcuda-sim.so');
    expect(simulatorPath('/src', undefined, { GPU_IPC_SIM_PATH: '/x.so' })).toBe('/x.so');
  });
});
