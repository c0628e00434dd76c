/** Handles that are wrong, of the wrong kind, or of something that is gone. */
import {
  asEventHandle,
  asMemHandle,
  type EventHandleBytes,
  type MemHandleBytes,
  NO_CONTEXT,
  offsetBy,
} from '../../cuda/index';
import {
  all,
  equal,
  exportedEvent,
  exportedMemory,
  filled,
  type Group,
  LAZY,
  LongWork,
  MiB,
  NOBODYS,
  NULL_EVENT,
  peerWithContext,
} from '../group';

const SIZE = 4 * MiB;

/** A handle with one bit of one byte changed. */
function flipped(handle: MemHandleBytes | EventHandleBytes, index: number, bit = 1): Uint8Array {
  const other = new Uint8Array(handle);
  other[index] = (other[index] ?? 0) ^ bit;
  return other;
}

/** A handle that says it comes from another process; where the pid stands was observed, not documented. */
function withPid(handle: MemHandleBytes | EventHandleBytes, offset: number, pid: number): Uint8Array {
  const other = new Uint8Array(handle);
  new DataView(other.buffer).setUint32(offset, pid, true);
  return other;
}

/** Larger than any pid of Linux (2^22). */
const NO_PID = 0x0800_0001;

export const sharingAtItsEdges: Group = {
  name: 'sharing at its edges',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const third = await peerWithContext('third');
    const memory = await exportedMemory(a, SIZE, 0xab);
    const event = await exportedEvent(a);

    steps.record(
      'cuIpcGetMemHandle of the last byte',
      await a.call('ipcGetMemHandle', offsetBy(memory.pointer, SIZE - 1)),
    );
    steps.record('cuIpcGetMemHandle of an address of nobody', await a.call('ipcGetMemHandle', NOBODYS));
    steps.record('cuIpcGetEventHandle of 0', await a.call('ipcGetEventHandle', NULL_EVENT));
    const twice = await a.call('ipcGetEventHandle', event.event);
    steps.record('cuIpcGetEventHandle a second time', twice, { 'the same bytes': equal(twice.value, event.handle) });

    steps.record('B opens memory with flags 0xffffffff', await b.call('ipcOpenMemHandle', memory.handle, 0xffff_ffff));
    steps.record(
      'B opens an event handle as memory',
      await b.call('ipcOpenMemHandle', asMemHandle(event.handle), LAZY),
    );
    steps.record(
      'B opens a memory handle as an event',
      await b.call('ipcOpenEventHandle', asEventHandle(memory.handle)),
    );
    const open = (index: number, bit?: number) =>
      b.call('ipcOpenMemHandle', asMemHandle(flipped(memory.handle, index, bit)), LAZY);
    steps.record('B opens a handle with another process token (byte 0)', await open(0));
    const openAs = (pid: number) => b.call('ipcOpenMemHandle', asMemHandle(withPid(memory.handle, 8, pid)), LAZY);
    steps.record('B opens a handle with the pid of no process', await openAs(NO_PID));
    steps.record('B opens a handle with the pid of a third process', await openAs(third.pid));
    steps.record('B opens a handle with its own pid', await openAs(b.pid));
    steps.record('B opens a handle with another size (byte 17)', await open(17));
    // Clients are numbered one after the other: the lowest bit would make it the client of a neighbour, B perhaps.
    steps.record('B opens a handle with another client (byte 48)', await open(48, 0x80));
    steps.record('B opens a handle with another object (byte 52)', await open(52));
    const openEvent = (handle: Uint8Array) => b.call('ipcOpenEventHandle', asEventHandle(handle));
    const eventAs = (pid: number) => openEvent(withPid(event.handle, 0, pid));
    steps.record('B opens an event handle with the pid of no process', await eventAs(NO_PID));
    steps.record('B opens an event handle with the pid of a third process', await eventAs(third.pid));
    steps.record('B opens an event handle with its own pid', await eventAs(b.pid));
    steps.record('B opens an event handle with another slot (byte 16)', await openEvent(flipped(event.handle, 16)));

    const mapping = await b.must('ipcOpenMemHandle', memory.handle, LAZY);
    steps.record('B closes an address inside the mapping', await b.call('ipcCloseMemHandle', offsetBy(mapping, 4096)));
    steps.record('B still reads after that', await b.call('read', mapping, 16));
    if ((await b.call('read', mapping, 16)).result !== 'CUDA_SUCCESS')
      await b.must('ipcOpenMemHandle', memory.handle, LAZY);
    steps.record('B closes an address of nobody', await b.call('ipcCloseMemHandle', NOBODYS));
    steps.record('B exports what it imported', await b.call('ipcGetMemHandle', mapping));
    steps.record('B reads past the end of the mapping', await b.call('read', offsetBy(mapping, SIZE - 16), 32));
    const own = await filled(b, SIZE, 1);
    const copied = await b.call('memcpyDtoD', own, mapping, SIZE);
    await b.must('ctxSynchronize');
    steps.record('B copies the mapping into its own memory', copied, {
      'the bytes are there': all((await b.call('read', own, SIZE)).value, 0xab),
    });
    steps.record('B fills the mapping', await b.call('memsetD8', mapping, 0xee, SIZE));
    await b.must('ctxSynchronize');
    const seen = await a.call('read', memory.pointer, SIZE);
    steps.record("A sees B's fill", seen, { 'every byte': all(seen.value, 0xee) });

    const imported = await b.must('ipcOpenEventHandle', event.handle);
    steps.record('B exports the event that it imported', await b.call('ipcGetEventHandle', imported));
    steps.record('cuEventElapsedTime of an imported event', await b.call('eventElapsedTime', imported, imported));
    const work = await LongWork.in(b);
    await work.begin();
    await b.must('eventRecord', imported, work.stream);
    steps.record('B records the imported event after long work; A queries', await a.call('eventQuery', event.event));
    await work.finish();
    steps.record('A queries when the work is done', await a.call('eventQuery', event.event));

    const current = await b.must('ctxGetCurrent');
    await b.must('ctxSetCurrent', NO_CONTEXT);
    steps.record('cuIpcOpenMemHandle_v2 without a context', await b.call('ipcOpenMemHandle', memory.handle, LAZY));
    steps.record('cuIpcOpenEventHandle without a context', await b.call('ipcOpenEventHandle', event.handle));
    steps.record('cuMemcpyDtoH_v2 of the mapping without a context', await b.call('read', mapping, 16));
    steps.record('cuEventQuery without a context', await b.call('eventQuery', imported));
    steps.record('cuMemGetAddressRange_v2 without a context', await b.call('memGetAddressRange', mapping));
    steps.record('cuIpcGetMemHandle without a context', await b.call('ipcGetMemHandle', own));
    steps.record('cuIpcCloseMemHandle without a context', await b.call('ipcCloseMemHandle', mapping));
    await b.must('ctxSetCurrent', current);

    await a.must('eventDestroy', event.event);
    steps.record(
      'another process opens the handle of a destroyed event',
      await third.call('ipcOpenEventHandle', event.handle),
    );
    steps.record('B, holding that event, opens it again', await b.call('ipcOpenEventHandle', event.handle));

    const fresh = await exportedMemory(a, SIZE, 1);
    const reused = await a.must('ipcGetMemHandle', fresh.pointer);
    await a.must('memFree', fresh.pointer);
    const next = await exportedMemory(a, SIZE, 2);
    steps.record(
      'export, free, allocate again: the new handle',
      await third.call('ipcOpenMemHandle', next.handle, LAZY),
      {
        'differs from the old one': !equal(reused, next.handle),
      },
    );
    steps.record('and the old one', await third.call('ipcOpenMemHandle', reused, LAZY));

    const lasting = await exportedEvent(a);
    const kept = await b.must('ipcOpenEventHandle', lasting.handle);
    const left = await exportedMemory(a, SIZE, 0x99);
    await a.kill();
    steps.record(
      'A is killed: another process opens its memory',
      await third.call('ipcOpenMemHandle', left.handle, LAZY),
    );
    steps.record(
      'A is killed: another process opens its event',
      await third.call('ipcOpenEventHandle', lasting.handle),
    );
    steps.record('A is killed: B queries, records and destroys its event', [
      await b.call('eventQuery', kept),
      await b.call('eventRecord', kept, work.stream),
      await b.call('eventDestroy', kept),
    ]);
  },
};
