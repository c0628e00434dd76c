/** What a device can share and how, from its attributes and what the system offers: yes, no or unknown, with reasons. */
import type { Sharing, Support } from '#contract/devices';
import type { DeviceAttributeName } from '#native/cuda/index';

/** Attribute values; undefined where this driver does not know one. */
export type DeviceFacts = Partial<Readonly<Record<DeviceAttributeName, number>>>;

/** What the verdicts need to know besides the device. */
export interface SystemFacts {
  readonly platform: NodeJS.Platform;
  /** Whether the kernel registers nvidia-caps-imex-channels; `undefined` where that cannot be read. */
  readonly imexInKernel: boolean | undefined;
  /** IMEX channels that this user can open. */
  readonly imexChannels: number;
  readonly simulated: boolean;
}

const yes = (why: string): Support => ({ supported: true, why });
const no = (why: string): Support => ({ supported: false, why });
const unknown = (why: string): Support => ({ supported: null, why });

const POSIX_FD = 1;
const COMPUTE_PROHIBITED = 2;

export function sharingVerdicts(device: DeviceFacts, system: SystemFacts): Sharing {
  if (device.COMPUTE_MODE === COMPUTE_PROHIBITED) {
    const prohibited = no('The device is in prohibited compute mode: no process can use it.');
    return { legacyMemory: prohibited, events: prohibited, poolFd: prohibited, vmmFd: prohibited, fabric: prohibited };
  }
  return {
    legacyMemory: legacyMemory(device, system),
    events: events(device, system),
    poolFd: poolFd(device, system),
    vmmFd: vmmFd(device, system),
    fabric: fabric(device, system),
  };
}

/** Tegra shares its memory with the CPU and reports itself integrated. */
const isTegra = (device: DeviceFacts): boolean => device.INTEGRATED === 1;

function legacyMemory(device: DeviceFacts, system: SystemFacts): Support {
  if (isTegra(device)) return no('An integrated GPU (Tegra) shares events only, never memory.');
  if (device.UNIFIED_ADDRESSING === undefined)
    return unknown('Unknown to this driver: it does not report UNIFIED_ADDRESSING.');
  if (device.UNIFIED_ADDRESSING === 0) return no('The device has no unified addressing, which sharing needs.');
  const ipc = device.IPC_EVENT_SUPPORTED;
  if (ipc === undefined) return unknown('Unknown to this driver: it does not report IPC_EVENT_SUPPORTED.');
  if (ipc === 0) return no('The driver says that this device has no IPC (IPC_EVENT_SUPPORTED is 0).');
  if (system.platform === 'win32') {
    return device.TCC_DRIVER === 1
      ? yes('64-byte handles of cuMemAlloc memory, on Windows for compatibility and at a cost.')
      : unknown('NVIDIA documents it on Windows for compatibility only; a trial has to show whether this device can.');
  }
  return yes('64-byte handles of cuMemAlloc memory (cuIpcGetMemHandle).');
}

function events(device: DeviceFacts, system: SystemFacts): Support {
  const ipc = device.IPC_EVENT_SUPPORTED;
  if (ipc === undefined) return unknown('Unknown to this driver: it does not report IPC_EVENT_SUPPORTED.');
  if (ipc === 0) return no('The driver says that this device has no IPC events (IPC_EVENT_SUPPORTED is 0).');
  if (system.platform === 'win32') return yes('64-byte handles of interprocess events, on Windows for compatibility.');
  return yes('64-byte handles of interprocess events (cuIpcGetEventHandle).');
}

function noFd({ platform }: SystemFacts): Support | undefined {
  return platform === 'win32' ? no('Windows has no POSIX file descriptors.') : undefined;
}

function poolFd(device: DeviceFacts, system: SystemFacts): Support {
  const none = noFd(system);
  if (none) return none;
  if (device.MEMORY_POOLS_SUPPORTED === undefined) {
    return unknown('Unknown to this driver: it does not report MEMORY_POOLS_SUPPORTED.');
  }
  if (device.MEMORY_POOLS_SUPPORTED === 0) return no('The device has no memory pools (MEMORY_POOLS_SUPPORTED is 0).');
  const types = device.MEMPOOL_SUPPORTED_HANDLE_TYPES;
  if (types === undefined) return unknown('Unknown to this driver: it does not say as what a pool can be exported.');
  if ((types & POSIX_FD) === 0) return no('Pools of this device cannot be exported as a file descriptor.');
  return yes('Memory pools exported as a file descriptor.');
}

function vmmFd(device: DeviceFacts, system: SystemFacts): Support {
  const none = noFd(system);
  if (none) return none;
  const vmm = device.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
  if (vmm === undefined) {
    return unknown('Unknown to this driver: it does not report VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED.');
  }
  if (vmm === 0) return no('The device has no virtual memory management (cuMemCreate).');
  const fd = device.HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
  if (fd === undefined)
    return unknown('Unknown to this driver: it does not say whether cuMemCreate memory has descriptors.');
  if (fd === 0) return no('cuMemCreate memory of this device cannot be exported as a file descriptor.');
  return yes('cuMemCreate memory exported as a file descriptor.');
}

function fabric(device: DeviceFacts, system: SystemFacts): Support {
  const supported = device.HANDLE_TYPE_FABRIC_SUPPORTED;
  if (supported === undefined)
    return unknown('Unknown to this driver: it does not report HANDLE_TYPE_FABRIC_SUPPORTED.');
  if (supported === 0) return no('The device has no fabric handles (HANDLE_TYPE_FABRIC_SUPPORTED is 0).');
  if (system.imexInKernel === undefined) {
    return unknown('The device has fabric handles; whether this system has IMEX channels cannot be read here.');
  }
  if (!system.imexInKernel)
    return no('The device has fabric handles, but the kernel has no IMEX channels (nvidia-caps-imex-channels).');
  if (system.imexChannels === 0) {
    return no('No IMEX channel: this user can open none in /dev/nvidia-caps-imex-channels.');
  }
  const channels = system.imexChannels === 1 ? 'one IMEX channel' : `${system.imexChannels} IMEX channels`;
  return yes(`Fabric handles, with ${channels} that this user can open.`);
}
