/** A host as main sees it, for tests: calls that resolve, and the ledger that its reports add up to. */
import type { CallValue, CheckedArgs, HostCallName } from '#contract/calls';
import type { DriverInfo } from '#contract/devices';
import type {
  FromHost,
  HostCall,
  HostInit,
  HostTableName,
  HostTables,
  InternalCallName,
  InternalCalls,
  ToHost,
} from '#contract/host-protocol';
import type { IpcError, Result } from '#contract/result';
import { startHost } from '../host';
import { simulatorPath, testDriver } from './driver';

/** The two ends of a port. */
export interface Link {
  send(message: ToHost): void;
  onMessage(listener: (message: FromHost) => void): void;
}

type Args<C extends HostCallName | InternalCallName> = C extends HostCallName
  ? CheckedArgs<C>
  : C extends InternalCallName
    ? InternalCalls[C]['args']
    : never;
type Value<C extends HostCallName | InternalCallName> = C extends HostCallName
  ? CallValue<C>
  : C extends InternalCallName
    ? InternalCalls[C]['value']
    : never;

export class TestHost {
  readonly messages: FromHost[] = [];
  readonly calls: HostCall[] = [];
  driver: DriverInfo | undefined;
  pid = 0;
  private readonly tables = new Map<HostTableName, Map<string, unknown>>();
  private readonly pending = new Map<number, (result: Result<unknown>) => void>();
  private readonly listeners = new Set<(message: FromHost) => void>();
  private nextId = 1;

  constructor(
    private readonly link: Link,
    readonly peerId: string,
  ) {
    link.onMessage((message) => {
      this.messages.push(message);
      if (message.kind === 'ledger') this.apply(message);
      if (message.kind === 'answer') {
        this.pending.get(message.id)?.(message.result);
        this.pending.delete(message.id);
      }
      for (const listener of [...this.listeners]) listener(message);
    });
  }

  /** Sends init and waits for `ready` or `failed`. */
  async init(init: Partial<HostInit> = {}): Promise<FromHost> {
    const answered = this.next((message) => message.kind === 'ready' || message.kind === 'failed');
    this.link.send({
      kind: 'init',
      peerId: this.peerId,
      role: 'producer',
      driver: testDriver(),
      simulatorPath,
      ...init,
    });
    const message = await answered;
    if (message.kind === 'ready') {
      this.pid = message.pid;
      this.driver = message.driver;
    }
    return message;
  }

  call<C extends HostCallName | InternalCallName>(name: C, args: Args<C>): Promise<Result<Value<C>>> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.pending.set(id, (result) => resolve(result as Result<Value<C>>));
      this.link.send({ kind: 'call', id, name, args } as unknown as ToHost);
    });
  }

  /** The value, or an exception with everything the error says. */
  async value<C extends HostCallName | InternalCallName>(name: C, args: Args<C>): Promise<Value<C>> {
    const result = await this.call(name, args);
    if (!result.ok) throw new Error(`${name}: ${JSON.stringify(result.error)}`);
    return result.value;
  }

  /** The error; an exception when it went well. */
  async error<C extends HostCallName | InternalCallName>(name: C, args: Args<C>): Promise<IpcError> {
    const result = await this.call(name, args);
    if (result.ok) throw new Error(`${name} went well: ${JSON.stringify(result.value)}`);
    return result.error;
  }

  /** Exports a buffer and answers the 64 bytes; an exception when what it is exported by has none. */
  async handle(id: string): Promise<Uint8Array> {
    const { handle } = await this.value('buffers.export', { id });
    if (handle === null) throw new Error(`${id} travels by descriptor`);
    return handle;
  }

  async read(id: string, offset: number, length: number): Promise<Uint8Array> {
    return (await this.value('memory.read', { id, offset, length })).bytes;
  }

  /** Records of a table as last reported. */
  table<T extends HostTableName>(name: T): HostTables[T][] {
    return [...(this.tables.get(name)?.values() ?? [])] as HostTables[T][];
  }

  record<T extends HostTableName>(name: T, id: string): HostTables[T] {
    const record = this.tables.get(name)?.get(id) as HostTables[T] | undefined;
    if (!record) throw new Error(`no ${id} in ${name}`);
    return record;
  }

  /** Resolves with the next message that fits. */
  next(fits: (message: FromHost) => boolean): Promise<FromHost> {
    return new Promise((resolve) => {
      const listener = (message: FromHost): void => {
        if (!fits(message)) return;
        this.listeners.delete(listener);
        resolve(message);
      };
      this.listeners.add(listener);
    });
  }

  /** Resolves when the ledger fulfils a condition, now or after a later report. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.next((message) => message.kind === 'ledger');
  }

  async shutdown(): Promise<void> {
    const done = this.next((message) => message.kind === 'done');
    this.link.send({ kind: 'shutdown' });
    await done;
  }

  private apply({ changes, calls }: Extract<FromHost, { kind: 'ledger' }>): void {
    for (const change of changes) {
      const table = this.tables.get(change.table as HostTableName) ?? new Map<string, unknown>();
      this.tables.set(change.table as HostTableName, table);
      if ('put' in change) table.set(change.put.id, change.put);
      else table.delete(change.remove);
    }
    this.calls.push(...calls);
  }
}

/** A host in this process, over a port that copies and transfers as real ones do. */
export function hostHere(peerId = 'p1'): TestHost & { readonly exited: number[] } {
  const exited: number[] = [];
  let toHost: (message: ToHost) => void = () => {};
  let fromHost: (message: FromHost) => void = () => {};
  startHost({
    post: (message, transfer) => {
      const copy = structuredClone(message, { transfer: [...(transfer ?? [])] });
      queueMicrotask(() => fromHost(copy));
    },
    listen: (listener) => {
      toHost = listener;
    },
    exit: (code) => exited.push(code),
  });
  const link: Link = {
    send: (message) => toHost(structuredClone(message)),
    onMessage: (listener) => {
      fromHost = listener;
    },
  };
  return Object.assign(new TestHost(link, peerId), { exited });
}
