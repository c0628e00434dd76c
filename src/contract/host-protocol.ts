/**
 * Messages between main and a driver host, over a worker's or a utility process's port. The host never knows where it
 * runs. Answers and ledger changes leave on one ordered port, and changes are sent before the answer of the call that
 * made them: whoever has the answer finds its object in the ledger.
 */
import type { CallValue, CheckedArgs, HostCallName } from './calls';
import type { DriverInfo } from './devices';
import type { HandleAnatomy } from './handle-anatomy';
import type { Call, Change, EventImport, Export, Mapping, TableName, Tables } from './records';
import type { IpcError, Result } from './result';
import type { Role } from './values';

export interface HostInit {
  readonly kind: 'init';
  readonly peerId: string;
  readonly role: Role;
  /** Which driver: GPU_IPC_DRIVER's words; demo hosts get the Inspector's decision. */
  readonly driver: 'auto' | 'real' | 'simulator';
  /** Absolute path of the simulator library, whether or not it exists. */
  readonly simulatorPath: string;
}

/** Calls that main makes on a host besides those of the contract. Handles are bytes here, never text; without a label the host makes one. */
export interface InternalCalls {
  'imports.open': {
    args: { handle: Uint8Array; device: number; flags: number; offset?: number; length?: number; label: string };
    value: { id: string; address: string; bytes: number; references: number; state: 'open' | 'closed' };
  };
  'events.open': { args: { handle: Uint8Array; device: number; label: string }; value: { id: string } };
  'handles.anatomy': { args: { handle: Uint8Array; kind?: 'memory' | 'event' }; value: HandleAnatomy };
}
export type InternalCallName = keyof InternalCalls;

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

/** Host-side records carry the handle, so that main can join mappings with exports; main never sends it to windows. */
export type HostTables = Omit<Tables, 'peers' | 'exports' | 'mappings' | 'eventImports'> & {
  exports: Export & { handle: Uint8Array };
  mappings: Mapping & { handle: Uint8Array };
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
