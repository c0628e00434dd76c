/** Handles of own buffers and events: the 64 bytes that another process opens. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import type { HostState } from './host-state';
import { isOwnEvent, type OwnExport } from './objects';
import { invalid } from './problems';

/** cuIpcGetMemHandle. The same allocation is the same export. */
export function exportBuffer(host: HostState, { id }: CheckedArgs<'buffers.export'>): CallValue<'buffers.export'> {
  const own = host.objects.liveAllocation(id);
  if (!own.export) {
    const { label, device } = own.record;
    host.session.use(device);
    const handle = host.session.call({ args: label, objectId: id, situation: { memory: 'device' } }, (cuda) =>
      cuda.ipcGetMemHandle(own.pointer),
    );
    own.export = newExport(host, 'memory', id, handle);
  }
  const { record } = own.export;
  return {
    id: record.id,
    allocationId: id,
    mechanism: record.mechanism,
    handle: Uint8Array.from(own.export.handle),
    fds: [],
  };
}

/** cuIpcGetEventHandle. The same event is the same export. */
export function exportEvent(host: HostState, { id }: CheckedArgs<'events.export'>): CallValue<'events.export'> {
  const own = host.objects.liveEvent(id);
  if (!isOwnEvent(own)) {
    throw invalid(
      `${own.record.label} is imported.`,
      'Only its exporter can export it: pass on the handle it came from.',
    );
  }
  if (!own.export) {
    const { label, device, flags } = own.record;
    host.session.use(device);
    const handle = host.session.call({ args: label, objectId: id, situation: { flags } }, (cuda) =>
      cuda.ipcGetEventHandle(own.event),
    );
    own.export = newExport(host, 'event', id, handle);
  }
  const { record } = own.export;
  return { id: record.id, eventId: id, handle: Uint8Array.from(own.export.handle) };
}

/** Its object was freed or destroyed. What the driver opens with the handle from now on is nothing, or something else. */
export function endExport(host: HostState, made: OwnExport): void {
  made.record = { ...made.record, state: 'freed' };
  host.report.put('exports', made.record);
}

function newExport(host: HostState, kind: 'memory' | 'event', objectId: string, handle: Uint8Array): OwnExport {
  const made: OwnExport = {
    handle,
    record: {
      id: host.objects.nextId('x'),
      peerId: host.peerId,
      kind,
      mechanism: 'legacy',
      objectId,
      state: 'live',
      createdAt: Date.now(),
      handle,
    },
  };
  host.objects.add(host.objects.exports, made);
  host.report.put('exports', made.record);
  return made;
}
