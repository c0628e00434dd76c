/** From the name of a call to what does it. Derived from the contract: a call without a handler does not compile. */
import type { CallValue, CheckedArgs, HostCallName } from '#contract/calls';
import type { InternalCallName, InternalCalls } from '#contract/host-protocol';
import { create, fill, free } from './allocations';
import { Anatomy } from './anatomy';
import { animate } from './animations';
import { attributes } from './attributes';
import { Devices } from './devices';
import type { Events } from './events';
import { exportBuffer, exportEvent } from './exports';
import type { HostState } from './host-state';
import { close, open } from './mappings';
import { read, write } from './reader';
import { verdictHandlers } from './verdict/handlers';

type Answer<T> = T | Promise<T>;

/** Calls that are being written; until then they answer `not-found`. */
type Missing = Extract<
  HostCallName | InternalCallName,
  | `contents.${string}`
  | `pools.${string}`
  | `virtual.${string}`
  | `descriptors.${string}`
  | 'imports.openPointer'
  | 'imports.openPool'
  | 'imports.openVirtual'
  | 'imports.again'
>;

export type Handlers = {
  readonly [C in Exclude<HostCallName, Missing>]: (args: CheckedArgs<C>) => Answer<CallValue<C>>;
} & {
  readonly [C in Exclude<InternalCallName, Missing>]: (
    args: InternalCalls[C]['args'],
  ) => Answer<InternalCalls[C]['value']>;
};

export function handlers(host: HostState, events: Events): Handlers {
  const devices = new Devices(host);
  const anatomy = new Anatomy(host);
  return {
    'devices.list': () => devices.list(),
    'buffers.create': (args) => create(host, args),
    'buffers.write': (args) => write(host, args),
    'buffers.fill': (args) => fill(host, args),
    'buffers.animate': (args) => animate(host, args),
    'buffers.export': (args) => exportBuffer(host, args),
    'buffers.free': (args) => free(host, args),
    'imports.open': (args) => open(host, args),
    'imports.close': (args) => close(host, args),
    'memory.read': (args) => read(host, args),
    'memory.attributes': (args) => attributes(host, args),
    'events.create': (args) => events.create(args),
    'events.export': (args) => exportEvent(host, args),
    'events.open': (args) => events.open(args),
    'events.record': (args) => events.record(args),
    'events.query': (args) => events.query(args),
    'events.wait': (args) => events.wait(args),
    'events.cancelWait': (args) => events.cancelWait(args),
    'events.destroy': (args) => events.destroy(args),
    'handles.anatomy': (args) => anatomy.of(args),
    ...verdictHandlers(host, devices),
  };
}
