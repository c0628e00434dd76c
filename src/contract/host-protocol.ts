/**
 * Messages between main and a driver host, over a worker's or a utility process's port. The host never knows where it
 * runs. Answers and ledger changes leave on one ordered port, and changes are sent before the answer of the call that
 * made them: whoever has the answer finds its object in the ledger.
 */
import type { CallValue, CheckedArgs, HostCallName } from './calls';
import type { DriverInfo } from './devices';
import type { DtypeId } from './dtypes';
import type { HandleAnatomy } from './handle-anatomy';
import type { Call, Change, EventImport, Export, Mapping, TableName, Tables } from './records';
import type { IpcError, Result } from './result';
import type { TrialCalls } from './trial-protocol';
import type { DataDescription, Role } from './values';

export interface HostInit {
  readonly kind: 'init';
  readonly peerId: string;
  readonly role: Role;
  /** Which driver: GPU_IPC_DRIVER's words; demo hosts get the Inspector's decision. */
  readonly driver: 'auto' | 'real' | 'simulator';
  /** Absolute path of the simulator library, whether or not it exists. */
  readonly simulatorPath: string;
  /** Where large snapshots lie; the system's folder for temporary files unless given. */
  readonly scratchFolder?: string;
  /** Most bytes of snapshots in memory, where a part of what the machine has free is not meant. */
  readonly snapshotMemory?: number;
}

/** From where an importer's host gets file descriptors. Nobody keeps the copies: they are closed when they are imported. */
export type DescriptorSource =
  /** A socket at which the exporter's host gives them, once: see `descriptors.offer`. */
  | { readonly kind: 'offer'; readonly name: string }
  /** Numbers of descriptors in any process, copied from there (pidfd_getfd). */
  | { readonly kind: 'process'; readonly pid: number; readonly fds: readonly number[] };

interface View {
  readonly device: number;
  readonly offset?: number;
  readonly length?: number;
  readonly label: string;
  /** What lies in the view: kept in its record. */
  readonly data?: DataDescription | undefined;
}

/** What an import is of, when one of our processes exported it: reported back in the record of the import. */
interface Origin {
  readonly exportId: string | null;
}

export interface OpenedMapping {
  readonly id: string;
  readonly address: string;
  readonly bytes: number;
  readonly references: number;
  readonly state: 'open' | 'closed';
}

/** A file descriptor that this host holds open for an export. */
export interface HeldDescriptor {
  readonly exportId: string;
  readonly fd: number;
  /** What /proc says that it is. */
  readonly file: string | null;
  readonly bytes: number | null;
}

/** Calls that main makes on a host besides those of the contract. Handles are bytes here, never text; without a label the host makes one. */
export interface InternalCalls extends TrialCalls {
  /** A legacy handle. */
  'imports.open': { args: View & { handle: Uint8Array; flags: number }; value: OpenedMapping };
  /** Memory of a pool that is imported here already. `access`: let the device use the pool's memory first. */
  'imports.openPointer': {
    args: View & Origin & { handle: Uint8Array; poolId: string; access: boolean };
    value: OpenedMapping;
  };
  /** The same with a pool that is imported for it alone, and goes with its last mapping. */
  'imports.openPool': {
    args: View & Origin & { handle: Uint8Array; source: DescriptorSource; pool: ImportedPoolArgs };
    value: OpenedMapping;
  };
  /** Virtual memory: one descriptor, or a fabric handle, for each size of `chunks`, mapped side by side. */
  'imports.openVirtual': {
    args: View & Origin & { source: PhysicalSource; chunks: readonly PhysicalFacts[]; access: 'read' | 'read-write' };
    value: OpenedMapping;
  };
  /** One more reference of what is open, without asking the driver, which does not count references of this. */
  'imports.again': { args: { id: string; data?: DataDescription | undefined }; value: OpenedMapping };
  'pools.import': { args: ImportedPoolArgs & { source: DescriptorSource }; value: { id: string } };
  'virtual.import': {
    /** `owner`: device that has the memory, when that is known to be another one than `device`, where it is used. */
    args: Origin & { source: PhysicalSource; device: number; owner?: number; bytes: number; label: string };
    value: { id: string; bytes: number };
  };
  /**
   * Listens under a name that nobody can guess, gives the descriptors of an export to the first connection of process
   * `toPid`, and stops; it stops without when that one does not come within seconds.
   */
  'descriptors.offer': { args: { exportId: string; toPid: number }; value: { name: string } };
  'descriptors.list': { args: Record<string, never>; value: readonly HeldDescriptor[] };
  'descriptors.close': { args: { exportId: string }; value: undefined };
  /** `contents.compare` where both are of this process. */
  'contents.compareHere': { args: CheckedArgs<'contents.compare'>; value: CallValue<'contents.compare'> };
  /** Of an allocation, a mapping or a snapshot that there is. */
  'contents.describe': { args: { id: string }; value: DescribedContents };
  /** Ends a job of this host as `cancelled`; nothing when there is none. */
  'contents.endJob': { args: { job: string }; value: undefined };
  'events.open': { args: { handle: Uint8Array; device: number; label: string }; value: { id: string } };
  'handles.anatomy': { args: { handle: Uint8Array; kind?: 'memory' | 'event' }; value: HandleAnatomy };
}
export type InternalCallName = keyof InternalCalls;

export interface DescribedContents {
  readonly kind: 'allocation' | 'mapping' | 'snapshot';
  readonly label: string;
  readonly bytes: number;
  /** Of an own allocation. */
  readonly dtype?: DtypeId;
}

/** How far a named job is, in bytes. */
export interface Progress {
  /** The name that who asked for the work has given it. */
  readonly job: string;
  readonly done: number;
  readonly total: number;
}

/** A pool as its importer records it. */
export interface ImportedPoolArgs extends Origin {
  /** Whose memory it is, or where it will be used when nobody knows. */
  readonly device: number;
  /** Where it will be used, on its own device unless said otherwise: the context that is current meanwhile. */
  readonly usedOn?: number;
  readonly label: string;
}
export type PhysicalSource = DescriptorSource | { readonly kind: 'fabric'; readonly handle: Uint8Array };
/** One physical memory of an import, as its exporter knows it. */
export interface PhysicalFacts {
  readonly bytes: number;
  /** Device that has it, when that is known. */
  readonly device?: number;
}

export type HostRequest =
  | {
      [C in HostCallName]: {
        readonly kind: 'call';
        readonly id: number;
        readonly name: C;
        readonly args: CheckedArgs<C>;
      };
    }[HostCallName]
  | {
      [C in InternalCallName]: {
        readonly kind: 'call';
        readonly id: number;
        readonly name: C;
        readonly args: InternalCalls[C]['args'];
      };
    }[InternalCallName];

export type ToHost =
  | HostInit
  | HostRequest
  /** Release everything (close what is imported, free what is own), say `done`, then end. */
  | { readonly kind: 'shutdown' };

/**
 * Host-side records carry the handle, so that main can join mappings with exports; main never sends it to windows. What
 * travels by descriptor has none: main says which export it opens, and the record says it back.
 */
export type HostTables = Omit<Tables, 'peers' | 'exports' | 'mappings' | 'eventImports'> & {
  exports: Export & { handle: Uint8Array | null };
  mappings: Mapping & { handle: Uint8Array | null };
  eventImports: EventImport & { handle: Uint8Array };
};
export type HostTableName = Exclude<TableName, 'peers'>;
export type HostChange =
  | { [T in HostTableName]: { readonly table: T; readonly put: HostTables[T] } }[HostTableName]
  | Extract<Change, { remove: string }>;
/**
 * `seq` and `peerName` are given by main. `count` counts the equal calls since the host's last message: main adds them
 * up when it folds a record into one that it has.
 */
export type HostCall = Omit<Call, 'seq' | 'peerName'>;

export type FromHost =
  | { readonly kind: 'ready'; readonly pid: number; readonly driver: DriverInfo }
  | { readonly kind: 'failed'; readonly error: IpcError }
  | { readonly kind: 'answer'; readonly id: number; readonly result: Result<unknown> }
  | { readonly kind: 'ledger'; readonly changes: readonly HostChange[]; readonly calls: readonly HostCall[] }
  /** A driver call that may block has begun; the next message of any kind means that it returned. */
  | { readonly kind: 'calling'; readonly call: string; readonly at: number }
  /** At most ten times a second for each job. */
  | ({ readonly kind: 'progress' } & Progress)
  /** The context is dead for good (illegal address and its kind): this process has to be replaced. */
  | { readonly kind: 'context-lost'; readonly error: IpcError }
  | { readonly kind: 'done' };

/** What a host needs from where it runs. */
export interface HostPort {
  post(message: FromHost, transfer?: readonly ArrayBuffer[]): void;
  /** Answers a read without a message, where whoever asked waits for that. The bytes are copied. False: it does not. */
  handOver?(id: number, page: CallValue<'memory.read'>): boolean;
  listen(listener: (message: ToHost) => void): void;
  /** Ends the thread or process. */
  exit(code: number): void;
}
