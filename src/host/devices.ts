/** The devices of this process: what each is and what can be shared from it. Needs no context. */
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import type { Device } from '#contract/devices';
import {
  ComputeMode,
  type Cuda,
  DeviceAttribute,
  type DeviceAttributeName,
  type DeviceId,
  P2PAttribute,
} from '#native/cuda/index';
import type { HostState } from './host-state';
import { type SystemFacts, sharingVerdicts } from './sharing-verdicts';

/** What never changes while the process runs. */
type Fixed = Omit<Device, 'freeBytes'>;

export class Devices {
  private fixed: readonly Fixed[] | undefined;

  constructor(private readonly host: HostState) {}

  /** Every device; `freeBytes` for those whose context is retained, which this call does not do. */
  list(): Device[] {
    this.fixed ??= this.read();
    return this.fixed.map((device) => ({ ...device, freeBytes: this.freeBytes(device.ordinal) }));
  }

  /** What a device can share, without asking anything that changes. */
  sharing(ordinal: number): Device['sharing'] {
    this.fixed ??= this.read();
    const device = this.fixed[ordinal];
    if (device === undefined) throw new RangeError(`there is no device ${ordinal}`);
    return device.sharing;
  }

  private freeBytes(ordinal: number): number | null {
    const { session } = this.host;
    if (!session.hasContext(ordinal)) return null;
    session.use(ordinal);
    return session.call({ args: `device ${ordinal}` }, (cuda) => cuda.memGetInfo().freeBytes);
  }

  private read(): Fixed[] {
    const { session } = this.host;
    const system = systemFacts(session.info.kind === 'simulator');
    return session.summarised(
      'cuDeviceGetAttribute',
      (calls) => ({
        args: `${session.deviceCount === 1 ? 'device 0' : `${session.deviceCount} devices`}, ${calls} facts`,
      }),
      (cuda) => {
        const ids = Array.from({ length: session.deviceCount }, (_, ordinal) => cuda.deviceGet(ordinal));
        return ids.map((device, ordinal) => readDevice(cuda, ids, device, ordinal, system));
      },
    );
  }
}

function readDevice(
  cuda: Cuda,
  all: readonly DeviceId[],
  device: DeviceId,
  ordinal: number,
  system: SystemFacts,
): Fixed {
  const facts: Partial<Record<DeviceAttributeName, number>> = {};
  const attributes: Record<string, number | null> = {};
  for (const [name, attribute] of Object.entries(DeviceAttribute) as [DeviceAttributeName, number][]) {
    const value = cuda.deviceGetAttribute(attribute, device);
    if (value !== undefined) facts[name] = value;
    attributes[name] = value ?? null;
  }
  return {
    ordinal,
    name: cuda.deviceGetName(device),
    uuid: uuidText(cuda.deviceGetUuid(device)),
    pciBusId: cuda.deviceGetPciBusId(device).toLowerCase(),
    totalBytes: cuda.deviceTotalMem(device),
    computeCapability: `${facts.COMPUTE_CAPABILITY_MAJOR ?? '?'}.${facts.COMPUTE_CAPABILITY_MINOR ?? '?'}`,
    computeMode: computeMode(facts.COMPUTE_MODE),
    attributes,
    sharing: sharingVerdicts(facts, system),
    peers: all.flatMap((peer, other) => (other === ordinal ? [] : [peerAccess(cuda, device, peer, other)])),
  };
}

function peerAccess(cuda: Cuda, device: DeviceId, peer: DeviceId, ordinal: number): Device['peers'][number] {
  const quiet = <T>(ask: () => T): T | undefined => {
    try {
      return ask();
    } catch {
      return undefined;
    }
  };
  const link = (attribute: number) => quiet(() => cuda.deviceGetP2PAttribute(attribute, device, peer));
  const atomics = link(P2PAttribute.NATIVE_ATOMIC_SUPPORTED);
  return {
    ordinal,
    access: quiet(() => cuda.deviceCanAccessPeer(device, peer)) ?? null,
    performanceRank: link(P2PAttribute.PERFORMANCE_RANK) ?? null,
    nativeAtomics: atomics === undefined ? null : atomics !== 0,
  };
}

function computeMode(value: number | undefined): Device['computeMode'] {
  switch (value) {
    case ComputeMode.DEFAULT:
      return 'default';
    case ComputeMode.PROHIBITED:
      return 'prohibited';
    case ComputeMode.EXCLUSIVE_PROCESS:
      return 'exclusive-process';
    default:
      return 'unknown';
  }
}

/** `GPU-` and 8-4-4-4-12, as nvidia-smi writes it. */
function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `GPU-${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')}`;
}

/** What the system offers for sharing over a fabric. */
function systemFacts(simulated: boolean): SystemFacts {
  return {
    platform: process.platform,
    simulated,
    imexInKernel: imexInKernel(simulated),
    imexChannels: simulated ? Number(simulatedChannel()) : imexChannels(),
  };
}

/** The simulator's setting: with it memory may be created with a fabric handle. */
const simulatedChannel = (): boolean => process.env.GPU_IPC_SIM_FABRIC === '1';

function imexInKernel(simulated: boolean): boolean | undefined {
  if (simulated) return simulatedChannel();
  try {
    return readFileSync('/proc/devices', 'utf8').includes('nvidia-caps-imex-channels');
  } catch {
    return undefined;
  }
}

function imexChannels(): number {
  const folder = '/dev/nvidia-caps-imex-channels';
  try {
    return readdirSync(folder).filter((name) => {
      try {
        accessSync(`${folder}/${name}`, constants.R_OK | constants.W_OK);
        return true;
      } catch {
        return false;
      }
    }).length;
  } catch {
    return 0;
  }
}
