/** Virtual memory: creating, mapping, access, and the way to another process. */
import { AccessFlag, type AllocationHandle, type DevicePtr, HandleType } from '../../cuda/index';
import { all, type Group, MiB, peerWithContext } from '../group';
import { NOT_OPEN, passOne } from '../passing';
import type { Peer } from '../peer-client';

const SIZE = 2 * MiB;
const NO_HANDLE = 0n as AllocationHandle;
const shareable = { handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: 0 };

/** Addresses with this memory behind them, without access. */
async function mapped(peer: Peer, handle: AllocationHandle, bytes: number): Promise<DevicePtr> {
  const pointer = await peer.must('memAddressReserve', bytes);
  await peer.must('memMap', pointer, bytes, handle);
  return pointer;
}

/** Physical memory, mapped with access, every byte `value`, and its descriptor. */
export async function exportedVirtualMemory(peer: Peer, bytes: number, value: number) {
  const handle = await peer.must('memCreate', bytes, shareable);
  const pointer = await mapped(peer, handle, bytes);
  await peer.must('memSetAccess', pointer, bytes, 0, AccessFlag.READWRITE);
  await peer.must('memsetD8', pointer, value, bytes);
  await peer.must('ctxSynchronize');
  return { handle, pointer, descriptor: await peer.must('memExportToShareableHandle', handle) };
}

export const virtualMemory: Group = {
  name: 'virtual memory',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const created = await a.call('memCreate', SIZE, shareable);
    steps.record('create 2 MiB with POSIX_FD', created);
    steps.record('create 1 MiB', await a.call('memCreate', 1 * MiB, shareable));
    const fabric = { handleTypes: HandleType.FABRIC, deviceOrdinal: 0 };
    steps.record('create with FABRIC (no IMEX channel on the machine)', await a.call('memCreate', SIZE, fabric));
    const alone = await a.must('memCreate', SIZE, { handleTypes: HandleType.NONE, deviceOrdinal: 0 });
    steps.record('export fd of an allocation created with NONE', await a.call('memExportToShareableHandle', alone));
    const handle = created.value ?? NO_HANDLE;
    const exported = await a.call('memExportToShareableHandle', handle);
    steps.record('export fd of a POSIX_FD allocation', exported);
    const pointer = await mapped(a, handle, SIZE);
    steps.record('read after cuMemMap, before cuMemSetAccess', await a.call('read', pointer, 16));
    await a.must('memSetAccess', pointer, SIZE, 0, AccessFlag.READWRITE);
    steps.record('read after cuMemSetAccess READWRITE', await a.call('read', pointer, 16));
    await a.must('memsetD8', pointer, 0xab, SIZE);
    await a.must('ctxSynchronize');
    if (exported.value === undefined) return;

    const descriptor = await passOne(a, b, exported.value);
    const imported = await b.call('memImportFromShareableHandle', descriptor);
    steps.record('B imports the fd', imported);
    steps.record('A imports its own fd', await a.call('memImportFromShareableHandle', exported.value));
    steps.record('B imports a fd that is not open', await b.call('memImportFromShareableHandle', NOT_OPEN));
    const theirs = imported.value ?? NO_HANDLE;
    const address = await b.must('memAddressReserve', SIZE);
    const prepared = [
      await b.call('memMap', address, SIZE, theirs),
      await b.call('memSetAccess', address, SIZE, 0, AccessFlag.READ),
    ];
    const read = await b.call('read', address, SIZE);
    steps.record('B maps, sets READ access, reads', [...prepared, read], { "A's bytes": all(read.value, 0xab) });
    const refused = await b.call('memsetD8', address, 1, 16);
    const still = await b.call('read', address, 16);
    steps.record('B writes with READ access', refused, {
      'the context stays usable': still.result === 'CUDA_SUCCESS',
      'nothing was written': all(still.value, 0xab),
    });
    const allowed = await b.call('memSetAccess', address, SIZE, 0, AccessFlag.READWRITE);
    const written = await b.call('memsetD8', address, 0xcd, SIZE);
    await b.must('ctxSynchronize');
    steps.record('B sets READWRITE, writes', [allowed, written], {
      'A sees it': all((await a.call('read', pointer, SIZE)).value, 0xcd),
    });
    steps.record('B maps a second time at the same address', await b.call('memMap', address, SIZE, theirs));
    await a.must('memUnmap', pointer, SIZE);
    await a.must('memRelease', handle);
    const kept = await b.call('read', address, SIZE);
    steps.record('A unmaps and releases; B reads', kept, { 'the old bytes': all(kept.value, 0xcd) });
    await b.must('memUnmap', address, SIZE);
    steps.record('B unmaps; reads', await b.call('read', address, 16));
    steps.record('B releases', await b.call('memRelease', theirs));
  },
};

export const virtualMemorySizes: Group = {
  name: 'virtual memory sizes',
  run: async (steps) => {
    const bytes = 4 * MiB;
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const { descriptor } = await exportedVirtualMemory(a, bytes, 0xab);
    const received = await passOne(a, b, descriptor);
    const handle = await b.must('memImportFromShareableHandle', received);
    const address = await b.must('memAddressReserve', 4 * bytes);
    steps.record('B maps exactly 4 MiB', await b.call('memMap', address, bytes, handle));
    const next = (address + BigInt(bytes)) as DevicePtr;
    steps.record('B maps more than the allocation', await b.call('memMap', next, 2 * bytes, handle));
    steps.record('B maps only the first half', await b.call('memMap', next, bytes / 2, handle));
    steps.record('B maps with a non-zero offset', await b.call('memMap', next, bytes / 2, handle, bytes / 2));
    steps.record(
      'set access with flags 2 (neither READ nor READWRITE)',
      await b.call('memSetAccess', address, bytes, 0, 2),
    );
    await b.must('memSetAccess', address, bytes, 0, AccessFlag.READ);
    const released = await b.call('memRelease', handle);
    const read = await b.call('read', address, bytes);
    steps.record('release the handle while mapped', released, {
      'the mapping keeps the memory': all(read.value, 0xab),
    });
    await a.exit();
    const again = await b.call('memImportFromShareableHandle', received);
    steps.record('import the fd after A exited', again);
  },
};
