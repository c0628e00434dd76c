import { describe, expect, it } from 'vitest';
import { type DeviceFacts, type SystemFacts, sharingVerdicts } from './sharing-verdicts';

const linux: SystemFacts = { platform: 'linux', imexInKernel: true, imexChannels: 1, simulated: false };
/** A discrete data-centre device, as one H200 reports itself. */
const discrete: DeviceFacts = {
  INTEGRATED: 0,
  COMPUTE_MODE: 0,
  UNIFIED_ADDRESSING: 1,
  IPC_EVENT_SUPPORTED: 1,
  MEMORY_POOLS_SUPPORTED: 1,
  MEMPOOL_SUPPORTED_HANDLE_TYPES: 9,
  VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: 1,
  HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: 1,
  HANDLE_TYPE_FABRIC_SUPPORTED: 1,
};
const verdicts = (device: DeviceFacts, system: Partial<SystemFacts> = {}) =>
  Object.fromEntries(
    Object.entries(sharingVerdicts({ ...discrete, ...device }, { ...linux, ...system })).map(([way, { supported }]) => [
      way,
      supported,
    ]),
  );
const all = { legacyMemory: true, events: true, poolFd: true, vmmFd: true, fabric: true };

describe('sharing verdicts', () => {
  it.each<[string, DeviceFacts, Partial<SystemFacts>, object]>([
    ['a discrete device with an IMEX channel', {}, {}, all],
    ['no IMEX in the kernel', {}, { imexInKernel: false }, { ...all, fabric: false }],
    ['no IMEX channel to open', {}, { imexChannels: 0 }, { ...all, fabric: false }],
    ['an unreadable /proc/devices', {}, { imexInKernel: undefined }, { ...all, fabric: null }],
    ['Tegra', { INTEGRATED: 1 }, {}, { ...all, legacyMemory: false }],
    ['no unified addressing', { UNIFIED_ADDRESSING: 0 }, {}, { ...all, legacyMemory: false }],
    ['no IPC', { IPC_EVENT_SUPPORTED: 0 }, {}, { ...all, legacyMemory: false, events: false }],
    [
      'a driver before IPC_EVENT_SUPPORTED',
      { IPC_EVENT_SUPPORTED: undefined },
      {},
      { ...all, legacyMemory: null, events: null },
    ],
    ['no pools', { MEMORY_POOLS_SUPPORTED: 0 }, {}, { ...all, poolFd: false }],
    ['pools without descriptors', { MEMPOOL_SUPPORTED_HANDLE_TYPES: 8 }, {}, { ...all, poolFd: false }],
    ['pools of unknown types', { MEMPOOL_SUPPORTED_HANDLE_TYPES: undefined }, {}, { ...all, poolFd: null }],
    ['no virtual memory', { VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: 0 }, {}, { ...all, vmmFd: false }],
    ['an old driver', { HANDLE_TYPE_FABRIC_SUPPORTED: undefined }, {}, { ...all, fabric: null }],
    ['Windows', {}, { platform: 'win32' }, { ...all, legacyMemory: null, poolFd: false, vmmFd: false }],
    ['Windows with TCC', { TCC_DRIVER: 1 }, { platform: 'win32' }, { ...all, poolFd: false, vmmFd: false }],
    [
      'prohibited mode',
      { COMPUTE_MODE: 2 },
      {},
      { legacyMemory: false, events: false, poolFd: false, vmmFd: false, fabric: false },
    ],
  ])('%s', (_name, device, system, expected) => {
    expect(verdicts(device, system)).toEqual(expected);
  });

  it('knows nothing of a driver that reports nothing', () => {
    expect(Object.values(sharingVerdicts({}, linux)).map(({ supported }) => supported)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('says why in a sentence, whatever the answer', () => {
    for (const system of [linux, { ...linux, platform: 'win32' as const }, { ...linux, imexChannels: 3 }]) {
      for (const device of [discrete, {}, { ...discrete, INTEGRATED: 1, MEMORY_POOLS_SUPPORTED: 0 }]) {
        for (const { why } of Object.values(sharingVerdicts(device, system)))
          expect(why).toMatch(/^[A-Z0-9c].{10,}\.$/);
      }
    }
  });
});
