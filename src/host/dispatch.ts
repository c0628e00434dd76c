/** From the name of a call to what does it. Derived from the contract: a call without a handler does not compile. */
import type { CallValue, CheckedArgs, HostCallName } from '#contract/calls';
import type { InternalCallName, InternalCalls } from '#contract/host-protocol';
import { create, fill, free } from './allocations';
import { Anatomy } from './anatomy';
import { animate } from './animations';
import { attributes } from './attributes';
import type { Contents } from './contents/contents';
import { closeHeld, heldDescriptors } from './descriptors';
import { Devices } from './devices';
import type { Events } from './events';
import { exportBuffer, exportEvent, exportPhysical, exportPool } from './exports';
import type { HostState } from './host-state';
import { close, open } from './mappings';
import { openPointer, openPool } from './pool-mappings';
import * as pools from './pools';
import { write } from './reader';
import { verdictHandlers } from './verdict/handlers';
import { again, openVirtual } from './virtual-mappings';
import * as virtual from './virtual-memory';

type Answer<T> = T | Promise<T>;

export type Handlers = {
  readonly [C in HostCallName]: (args: CheckedArgs<C>) => Answer<CallValue<C>>;
} & {
  readonly [C in InternalCallName]: (args: InternalCalls[C]['args']) => Answer<InternalCalls[C]['value']>;
};

export function handlers(host: HostState, events: Events, contents: Contents): Handlers {
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
    'imports.openPointer': (args) => openPointer(host, args),
    'imports.openPool': (args) => openPool(host, args),
    'imports.openVirtual': (args) => openVirtual(host, args),
    'imports.again': (args) => again(host, args),
    'imports.close': (args) => close(host, args),
    'memory.read': (args) => contents.read(args),
    'memory.attributes': (args) => attributes(host, args),
    'contents.statistics': (args) => contents.statistics(args),
    'contents.summary': (args) => contents.summary(args),
    'contents.search': (args) => contents.search(args),
    'contents.compareHere': (args) => contents.compare(args),
    'contents.snapshot': (args) => contents.snapshot(args),
    'contents.snapshots': () => contents.list(),
    'contents.drop': (args) => contents.drop(args),
    'contents.decode': (args) => contents.decode(args),
    'contents.describe': (args) => contents.describe(args),
    'contents.endJob': ({ job }) => {
      host.jobs.cancel(job);
      return undefined;
    },
    'events.create': (args) => events.create(args),
    'events.export': (args) => exportEvent(host, args),
    'events.open': (args) => events.open(args),
    'events.record': (args) => events.record(args),
    'events.query': (args) => events.query(args),
    'events.wait': (args) => events.wait(args),
    'events.cancelWait': (args) => events.cancelWait(args),
    'events.destroy': (args) => events.destroy(args),
    'pools.create': (args) => ({ id: pools.createPool(host, args).record.id }),
    'pools.usage': (args) => pools.usage(host, args),
    'pools.trim': (args) => pools.trim(host, args),
    'pools.access': (args) => pools.setAccess(host, args),
    'pools.export': (args) => exportPool(host, args),
    'pools.import': (args) => pools.importKept(host, args),
    'pools.destroy': (args) => pools.destroy(host, args),
    'virtual.granularity': (args) => virtual.granularity(host, args),
    'virtual.create': (args) => virtual.create(host, args),
    'virtual.reserve': (args) => virtual.reserve(host, args),
    'virtual.map': (args) => virtual.map(host, args),
    'virtual.unmap': (args) => virtual.unmap(host, args),
    'virtual.access': (args) => virtual.setAccess(host, args),
    'virtual.export': (args) => exportPhysical(host, args),
    'virtual.import': (args) => virtual.importPhysical(host, args),
    'virtual.release': (args) => virtual.releaseCall(host, args),
    'descriptors.offer': (args) => host.offers.make(args),
    'descriptors.list': () => heldDescriptors(host),
    'descriptors.close': (args) => closeHeld(host, args),
    'handles.anatomy': (args) => anatomy.of(args),
    ...verdictHandlers(host, devices, anatomy),
  };
}
