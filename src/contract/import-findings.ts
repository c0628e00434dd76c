/**
 * What can be known before an import without calling the driver: from the bytes, from what a descriptor or a pasted text
 * says, and from what the caller knows of processes, devices and exports. What the driver does in each case was measured
 * (docs/driver-facts.md): `refuse` where it will not open it, or must not be given it; `warn` where it may not, or where
 * the bytes would be misread; `info` for what is good to know.
 */
import type { Finding } from './calls/handles';
import type { ShareDescriptor } from './descriptor';
import type { Device } from './devices';
import { bytesOfElements } from './dtypes';
import { decodeMemoryHandle, guessHandleKind, leadsOutOfBlock, leadsOutOfTable } from './handle-layout';
import { decode } from './paste/item';
import { decodePoolPointer, poolPointerProblem } from './pool-pointer-layout';
import { formatCount, formatSize } from './units';

export type { Finding } from './calls/handles';

/** What is to be imported. A descriptor says most of it; what is given beside it goes before what it says. */
export interface ImportSubject {
  readonly descriptor?: ShareDescriptor;
  /** 64 bytes: of `mechanism`. */
  readonly handle?: Uint8Array;
  /** How it is to be opened; without a descriptor `legacy` unless given. */
  readonly mechanism?: ShareDescriptor['mechanism'];
  /** Where the data begins in the allocation, and how much there is, in bytes. */
  readonly offset?: number;
  readonly size?: number;
  /** The exporter, when something else than the bytes says so. */
  readonly pid?: number;
}

/** What the caller knows. Everything that is left out is not known. */
export interface ImportFacts {
  /** The process that would open it, and its pid namespace: `pid:[4026531836]`. */
  readonly ownPid: number;
  readonly ownPidNamespace?: string;
  /** Whether a process runs, as far as this system shows. */
  readonly presence: (pid: number) => 'alive' | 'gone' | 'unknown';
  /** What a process is called: `Producer 1`, `python3`. */
  readonly nameOf?: (pid: number) => string | undefined;
  /** The GPUs of this machine. `visible`: to the process that would open it, after its CUDA_VISIBLE_DEVICES. */
  readonly devices: readonly KnownDevice[];
  /** UUID of the device that it would be opened on. */
  readonly device?: string;
  /** How often this process has the same object open. */
  readonly openCount: number;
  /** The export in the ledger, when a process of this app made it. */
  readonly madeHere?: { readonly state: 'live' | 'freed' | 'gone'; readonly label?: string; readonly owner?: string };
  /** Whether the pool that a pool pointer belongs to is imported. */
  readonly poolImported?: boolean;
  /** Whether the layout of the bytes was seen to hold with this driver. Their fields count only then. */
  readonly layoutChecked: boolean;
}

export interface KnownDevice {
  readonly uuid: string;
  readonly visible: boolean;
  readonly name?: string;
  readonly sharing?: Partial<Device['sharing']>;
}

/** A subject with its defaults filled in. */
interface Import {
  readonly mechanism: ShareDescriptor['mechanism'];
  readonly handle: Uint8Array | undefined;
  readonly descriptor: ShareDescriptor | undefined;
  readonly pid: number | undefined;
  readonly offset: number;
  readonly size: number | undefined;
  readonly allocationSize: number | undefined;
}

type Rule = (subject: Import, facts: ImportFacts) => Finding | undefined;

/**
 * Everything that is known, what refuses first, then what warns.
 * @param subject needs a handle or a descriptor
 */
export function importFindings(subject: ImportSubject, facts: ImportFacts): Finding[] {
  const full = filled(subject, facts);
  const order = ['refuse', 'warn', 'info'];
  return rules
    .map((rule) => rule(full, facts))
    .filter((finding) => finding !== undefined)
    .sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
}

function filled({ descriptor, ...given }: ImportSubject, { layoutChecked }: ImportFacts): Import {
  const handle = given.handle ?? (descriptor?.handle === undefined ? undefined : bytesOfHex(descriptor.handle));
  const mechanism = given.mechanism ?? descriptor?.mechanism ?? 'legacy';
  const seen = handle?.byteLength === 64 && layoutChecked ? handle : undefined;
  const fromBytes =
    seen === undefined
      ? undefined
      : mechanism === 'pool'
        ? decodePoolPointer(seen)
        : mechanism === 'legacy' && guessHandleKind(seen) === 'memory'
          ? decodeMemoryHandle(seen)
          : undefined;
  return {
    mechanism,
    handle,
    descriptor,
    pid: given.pid ?? descriptor?.exporter.pid ?? (seen === undefined ? undefined : decode(seen).pid),
    offset: given.offset ?? descriptor?.offset ?? 0,
    size: given.size ?? descriptor?.size,
    allocationSize: fromBytes ? Number(fromBytes.allocationBytes) : descriptor?.allocationSize,
  };
}

const bytesOfHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const isConstant = (handle: Uint8Array): boolean => handle.every((byte) => byte === handle[0]);
/** Only these name their exporter's pid to the driver, which refuses its own process's. */
const refusesOwn = ({ mechanism }: Import): boolean => mechanism === 'legacy' || mechanism === 'event';

const who = (pid: number, { nameOf }: ImportFacts): string => {
  const name = nameOf?.(pid);
  return name === undefined ? `pid ${pid}` : `${name} (pid ${pid})`;
};
const owner = ({ madeHere }: ImportFacts): string => madeHere?.owner ?? 'Its owner';
const thing = ({ mechanism }: Import, { madeHere }: ImportFacts): string =>
  madeHere?.label || (mechanism === 'event' ? 'This event' : 'This memory');

// ------------------------------------------------------------------------------------------------------ the bytes

const constantBytes: Rule = ({ handle }) => {
  if (handle === undefined || !isConstant(handle)) return undefined;
  if (handle[0] === 0) {
    return {
      level: 'refuse',
      code: 'zero-bytes',
      message: 'All 64 bytes are zero, so this is no handle.',
      hint: 'It was probably sent before it was filled in. Export again.',
    };
  }
  return {
    level: 'refuse',
    code: 'constant-bytes',
    message: `All 64 bytes are ${handle[0]}, so this is no handle.`,
    hint: 'It was probably read from memory that was never written. Export again.',
  };
};

const wrongKind: Rule = ({ handle, mechanism }, { layoutChecked }) => {
  if (handle?.byteLength !== 64 || !layoutChecked || isConstant(handle)) return undefined;
  const { kind } = decode(handle);
  if (kind === 'cuda-ipc-event' && mechanism !== 'event') {
    return {
      level: 'refuse',
      code: 'event-as-memory',
      message: 'This is the handle of an event, not of memory.',
      hint: 'Open it as an event.',
    };
  }
  if (kind === 'cuda-ipc-memory' && mechanism !== 'legacy') {
    return {
      level: 'refuse',
      code: mechanism === 'event' ? 'memory-as-event' : 'memory-as-other',
      message: `This is a legacy handle of memory, not ${mechanism === 'event' ? 'of an event' : `what “${mechanism}” passes`}.`,
      hint: mechanism === 'event' ? 'Open it as memory.' : 'Open it as legacy memory.',
    };
  }
  if (kind === 'cuda-pool-pointer' && (mechanism === 'legacy' || mechanism === 'event')) {
    return {
      level: 'refuse',
      code: 'pool-as-legacy',
      message: 'These look like the bytes of a pool pointer (cuMemPoolExportPointer), which cuIpcOpen… does not take.',
      hint: 'Import the pool by its file descriptor first, then this pointer in it.',
    };
  }
  const saidBetter = mechanism === 'event' ? leadsOutOfTable(handle) : leadsOutOfBlock(handle);
  if (kind === 'unknown-handle' && !saidBetter && (mechanism === 'legacy' || mechanism === 'event')) {
    return {
      level: 'warn',
      code: 'unknown-layout',
      message: 'These bytes do not look like the handles that this driver makes.',
      hint: 'They were changed on the way, or they come from another driver or machine.',
    };
  }
  return undefined;
};

const outOfBlock: Rule = ({ handle, mechanism }, { layoutChecked }) => {
  if (!layoutChecked || mechanism !== 'legacy' || handle === undefined || isConstant(handle)) return undefined;
  if (!leadsOutOfBlock(handle)) return undefined;
  return {
    level: 'refuse',
    code: 'out-of-block',
    message:
      'Its size or its offset leads out of the memory block that it names. The driver opens it, and reading there ends the GPU context of this process.',
    hint: 'The bytes were changed on the way. Pass all 64 unchanged.',
  };
};

const outOfTable: Rule = ({ handle, mechanism }, { layoutChecked }) => {
  if (!layoutChecked || mechanism !== 'event' || handle === undefined || isConstant(handle)) return undefined;
  if (!leadsOutOfTable(handle)) return undefined;
  return {
    level: 'refuse',
    code: 'out-of-table',
    message:
      'Its slot is outside of every table of events. The driver opens it, and asking for its status ends this process.',
    hint: 'The bytes were changed on the way. Pass all 64 unchanged.',
  };
};

const tooLargeForPool: Rule = ({ mechanism, allocationSize = 0 }) => {
  const problem = mechanism === 'pool' ? poolPointerProblem(allocationSize) : undefined;
  return problem && { level: 'refuse', code: 'pool-pointer-too-large', ...problem };
};

// --------------------------------------------------------------------------------------------------- the exporter

/** Whether the exporter's pid is counted in another namespace than ours; undefined when that is not known. */
function elsewhere({ descriptor }: Import, { ownPidNamespace }: ImportFacts): boolean | undefined {
  const theirs = descriptor?.exporter.pidNamespace;
  return theirs === undefined || ownPidNamespace === undefined ? undefined : theirs !== ownPidNamespace;
}

const ownExport: Rule = (subject, facts) => {
  if (subject.pid !== facts.ownPid || !refusesOwn(subject)) return undefined;
  if (elsewhere(subject, facts) === true) {
    return {
      level: 'refuse',
      code: 'same-pid-elsewhere',
      message: `The exporter runs in another pid namespace and has the same pid there (${subject.pid}), so the driver takes its handle for one of this process and refuses it (INVALID_CONTEXT 201).`,
      hint: 'Let both containers share one: docker run --pid=host, or --pid=container:NAME.',
    };
  }
  return {
    level: 'refuse',
    code: 'own-process',
    message: `${who(facts.ownPid, facts)} exported this handle itself. The driver refuses to open it there (INVALID_CONTEXT 201).`,
    hint: 'Open it in another process.',
  };
};

const otherNamespace: Rule = (subject, facts) => {
  const { pid, mechanism } = subject;
  if (elsewhere(subject, facts) !== true || (pid === facts.ownPid && refusesOwn(subject))) return undefined;
  const code = 'other-pid-namespace';
  if (mechanism === 'event') {
    return {
      level: 'warn',
      code,
      message: 'The exporter runs in another pid namespace: the driver looks for its events in /dev/shm by that pid.',
      hint: 'Both containers need the same /dev/shm: docker run --ipc=host, or --ipc=container:NAME.',
    };
  }
  if (mechanism === 'pool' || mechanism === 'virtual') {
    return {
      level: 'warn',
      code,
      message: `The exporter runs in another pid namespace, so its file descriptors cannot be taken by its pid${pid === undefined ? '' : ` (${pid})`}: here that is another process or none.`,
      hint: 'Receive them over a Unix socket, or let both containers share one namespace: docker run --pid=host.',
    };
  }
  return {
    level: 'info',
    code,
    message:
      'The exporter runs in another pid namespace. Its pid means nothing here, so it is not known whether it still runs.',
  };
};

const exporterGone: Rule = (subject, facts) => {
  const { pid, mechanism } = subject;
  // The ledger knows better, and another namespace's pids are not ours.
  if (pid === undefined || facts.madeHere !== undefined || elsewhere(subject, facts) === true) return undefined;
  if (pid === facts.ownPid || facts.presence(pid) !== 'gone') return undefined;
  // What has been imported of a pool needs its process no more.
  const needsProcess = mechanism === 'virtual' || (mechanism === 'pool' && facts.poolImported !== true);
  const message =
    mechanism === 'event'
      ? `${who(pid, facts)} is gone. Its event may still open, and one that was pending stays so for ever.`
      : `${who(pid, facts)} is gone, or it was on another machine.`;
  return {
    level: needsProcess ? 'refuse' : 'warn',
    code: 'exporter-gone',
    message,
    hint: needsProcess
      ? 'Its file descriptors went with it. Ask for a new export.'
      : 'Mappings that were open stay open; to open more, ask for a new export.',
  };
};

const exportEnded: Rule = (subject, facts) => {
  const state = facts.madeHere?.state;
  if (state === undefined || state === 'live') return undefined;
  const { mechanism } = subject;
  const open = facts.openCount > 0 && mechanism !== 'event';
  if (state === 'gone') {
    return {
      level: open || mechanism === 'event' ? 'warn' : 'refuse',
      code: 'export-gone',
      message: `${owner(facts)} is gone, and ${thing(subject, facts)} was its own.`,
      hint: 'What is open of it stays open; to open more, export from a process that runs.',
    };
  }
  if (mechanism === 'event') {
    return {
      level: 'refuse',
      code: 'export-freed',
      message: `${owner(facts)} has destroyed ${thing(subject, facts)}. The driver would open the event that has its place now.`,
      hint: 'Export the event that you mean.',
    };
  }
  return {
    level: open ? 'warn' : 'refuse',
    code: 'export-freed',
    message: open
      ? `${owner(facts)} has freed ${thing(subject, facts)}. As long as it is open here, the handle opens the old bytes once more.`
      : `${owner(facts)} has freed ${thing(subject, facts)}. The driver refuses the handle, or opens what has its place in memory now.`,
    hint: 'Export again and open that handle.',
  };
};

// ----------------------------------------------------------------------------------------------------- the device

const deviceHere: Rule = ({ descriptor, mechanism }, { devices, device }) => {
  const uuid = descriptor?.device.uuid;
  if (uuid === undefined) return undefined;
  const known = devices.find((one) => one.uuid === uuid);
  const name = known?.name === undefined ? uuid : `${known.name} (${uuid})`;
  if (known === undefined) {
    // Fabric memory may be of another machine.
    return {
      level: mechanism === 'fabric' ? 'info' : 'refuse',
      code: 'device-unknown',
      message: `It is on ${uuid}, which is no GPU of this machine.`,
      ...(mechanism === 'fabric'
        ? {}
        : { hint: 'Handles open on the machine of the exporter only; between machines there are fabric handles.' }),
    };
  }
  if (!known.visible) {
    return {
      level: 'refuse',
      code: 'device-hidden',
      message: `It is on ${name}, which this process does not see.`,
      hint: 'Add it to CUDA_VISIBLE_DEVICES and start again.',
    };
  }
  if (device === undefined || device === uuid) return undefined;
  return {
    level: 'warn',
    code: 'device-differs',
    message: `It is on ${name}, and would be opened on another device.`,
    hint: 'Open it on its own: another one reaches it only by direct peer access.',
  };
};

const SUPPORT = {
  legacy: 'legacyMemory',
  pool: 'poolFd',
  virtual: 'vmmFd',
  fabric: 'fabric',
  event: 'events',
} as const;

const mechanismHere: Rule = ({ descriptor, mechanism }, { devices, device }) => {
  const target = device ?? descriptor?.device.uuid;
  const support = devices.find(({ uuid }) => uuid === target)?.sharing?.[SUPPORT[mechanism]];
  if (support?.supported !== false) return undefined;
  return {
    level: 'refuse',
    code: 'mechanism-unsupported',
    message: `This device cannot do it: ${support.why}`,
    hint: 'Share it another way, or open it on another device.',
  };
};

const poolFirst: Rule = ({ mechanism, descriptor }, { poolImported }) =>
  mechanism !== 'pool' || descriptor?.descriptors !== undefined || poolImported === true
    ? undefined
    : {
        level: 'warn',
        code: 'needs-pool',
        message: 'A pool pointer means nothing without its pool.',
        hint: 'Import the pool by its file descriptor first, then choose it here.',
      };

// ----------------------------------------------------------------------------------------------------- the numbers

const nothingToOpen: Rule = ({ mechanism, size, allocationSize }) => {
  if (mechanism === 'event' || (size !== 0 && allocationSize !== 0)) return undefined;
  return {
    level: 'refuse',
    code: 'size-zero',
    message: size === 0 ? 'The size of the data is 0 bytes.' : 'The size of the allocation is 0 bytes.',
    hint: 'The smallest range has 1 byte.',
  };
};

const beyondAllocation: Rule = ({ mechanism, offset, size, allocationSize }) => {
  if (mechanism === 'event' || allocationSize === undefined || allocationSize === 0) return undefined;
  const end = offset + (size ?? 0);
  if (offset < allocationSize && end <= allocationSize) return undefined;
  return {
    level: 'refuse',
    code: 'beyond-allocation',
    message: `Offset ${formatCount(offset)}${size === undefined ? '' : ` and ${formatSize(size)}`} lead beyond the allocation, which has ${formatSize(allocationSize)} (${formatCount(allocationSize)} bytes).`,
    hint: 'The offset counts from the start of the allocation, not of the driver’s block or of the exporter’s pointer.',
  };
};

const shapeBeyondData: Rule = ({ descriptor, size }) => {
  const { dtype, shape, strides } = descriptor ?? {};
  if (dtype === undefined || shape === undefined || size === undefined || shape.includes(0)) return undefined;
  let dense = 1;
  let last = 0;
  for (let at = shape.length - 1; at >= 0; at--) {
    last += ((shape[at] as number) - 1) * (strides?.[at] ?? dense);
    dense *= shape[at] as number;
  }
  const bytes = bytesOfElements(last + 1, dtype);
  if (bytes <= size) return undefined;
  return {
    level: 'warn',
    code: 'shape-beyond-size',
    message: `Shape ${shape.join(' × ')} of ${dtype} takes ${formatCount(bytes)} bytes, and the data has ${formatCount(size)}.`,
    hint: 'Shape and strides count elements, sizes count bytes.',
  };
};

// ------------------------------------------------------------------------------------------------------- open already

const openAlready: Rule = ({ mechanism }, { openCount }) => {
  if (openCount === 0) return undefined;
  const times = openCount === 1 ? 'once' : openCount === 2 ? 'twice' : `${formatCount(openCount)} times`;
  return {
    level: 'info',
    code: 'already-open',
    message:
      mechanism === 'event'
        ? `This process has the event open ${times} already.`
        : `This process has it open ${times} already. Opening it again gives the same address and one more reference.`,
    ...(mechanism === 'event' ? {} : { hint: 'Each open needs one close.' }),
  };
};

const rules: readonly Rule[] = [
  constantBytes,
  wrongKind,
  outOfBlock,
  outOfTable,
  tooLargeForPool,
  ownExport,
  exportEnded,
  exporterGone,
  otherNamespace,
  deviceHere,
  mechanismHere,
  poolFirst,
  nothingToOpen,
  beyondAllocation,
  shapeBeyondData,
  openAlready,
];
