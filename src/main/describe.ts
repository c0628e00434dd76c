/** An export as a share descriptor, from what the ledger knows of it. */
import type { ShareDescriptor } from '#contract/descriptor';
import { type DtypeId, dtypes, elementsInBytes } from '#contract/dtypes';
import type { Allocation, Export, Peer } from '#contract/records';
import { GpuIpcError } from '#contract/result';
import { ownPidNamespace } from '#native/posix/process';
import type { Ledger } from './ledger/ledger';

/** What of the ledger is needed. */
export type DescribedLedger = Pick<Ledger, 'record' | 'records' | 'handleOf' | 'peer'>;

/**
 * The export that an id names: itself, or the newest live one of an allocation, event or physical memory.
 * @throws GpuIpcError `not-found` for neither, `closed` when it can be opened no more
 */
export function exportNamed(ledger: DescribedLedger, id: string): Export {
  const made = ledger.record('exports', id) ?? newestOf(ledger, id);
  if (made.state === 'live') return made;
  const label = objectOf(ledger, made)?.label || made.id;
  const why = { freed: 'was freed', closed: 'has no open descriptors any more', gone: 'was of a process that is gone' };
  throw new GpuIpcError({
    code: 'closed',
    message: `${label} ${why[made.state]}: nobody can open it with what would be described.`,
    hint: made.state === 'closed' ? 'Export it again.' : 'Export the memory that you mean.',
  });
}

/**
 * Everything that an importer needs. As secret as a handle.
 * @param uuid  of the device that the exporter's process counts so
 */
export function describeExport(ledger: DescribedLedger, made: Export, uuid: string): ShareDescriptor {
  const peer = ledger.peer(made.peerId);
  const object = objectOf(ledger, made);
  if (peer?.pid == null || object === undefined) {
    throw new GpuIpcError({ code: 'not-found', message: `What ${made.id} exports is not known any more.` });
  }
  const common = {
    format: 'gpu-ipc-descriptor',
    version: 1,
    exporter: exporterOf(peer, peer.pid),
    device: { uuid, ordinal: object.device },
    ...(object.label === '' ? {} : { label: oneLine(object.label) }),
  } as const;
  const hex = () => Buffer.from(handleOf(ledger, made)).toString('hex');
  switch (made.kind) {
    case 'event':
      return { ...common, mechanism: 'event', handle: hex(), offset: 0, size: 0 };
    case 'pool':
      throw new GpuIpcError({
        code: 'unsupported',
        message: `${object.label} is a pool: a descriptor describes memory, and its pool with it.`,
        hint: 'Export a buffer of the pool and describe that.',
      });
    case 'physical': {
      const { bytes = 0 } = object;
      const fabric = made.mechanism === 'fabric';
      const parts = fabric ? { handle: hex() } : { descriptors: descriptorsOf(made) };
      return { ...common, mechanism: made.mechanism, ...parts, offset: 0, size: bytes, allocationSize: bytes };
    }
    case 'memory': {
      const allocation = object as Allocation;
      const shared = made.mechanism === 'virtual' ? virtualParts(made, allocation) : { handle: hex() };
      const pool = made.mechanism === 'pool' ? { descriptors: poolDescriptors(ledger, made) } : {};
      return { ...common, mechanism: made.mechanism, ...shared, ...pool, ...dataOf(allocation) };
    }
  }
}

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

type Described = { readonly label: string; readonly device: number; readonly bytes?: number };

/** What an export is of. */
export function objectOf(ledger: DescribedLedger, made: Export): Described | undefined {
  const tables = { memory: 'allocations', event: 'events', pool: 'pools', physical: 'physicals' } as const;
  return ledger.record(tables[made.kind], made.objectId);
}

function newestOf(ledger: DescribedLedger, objectId: string): Export {
  const all = ledger.records('exports').filter((one) => one.objectId === objectId);
  const newest = (some: readonly Export[]) => some.toSorted((a, b) => b.createdAt - a.createdAt)[0];
  const found = newest(all.filter(({ state }) => state === 'live')) ?? newest(all);
  if (found !== undefined) return found;
  throw new GpuIpcError({
    code: 'not-found',
    message: `Nothing is exported under the id ${objectId}.`,
    hint: 'Export it first, then describe it.',
  });
}

/** All processes of the app count pids as this one does. */
function exporterOf({ name }: Peer, pid: number): ShareDescriptor['exporter'] {
  const namespace = ownPidNamespace();
  return { pid, ...(namespace === undefined ? {} : { pidNamespace: `pid:[${namespace}]` }), name };
}

function handleOf(ledger: DescribedLedger, made: Export): Uint8Array {
  const handle = ledger.handleOf(made.id);
  if (handle !== undefined) return handle;
  throw new GpuIpcError({ code: 'not-found', message: `The handle of ${made.id} is not known any more.` });
}

const descriptorsOf = ({ descriptors = [] }: Export) => descriptors.map(({ fd, bytes }) => ({ fd, bytes }));

function poolDescriptors(ledger: DescribedLedger, made: Export) {
  const pool = made.poolExportId === undefined ? undefined : ledger.record('exports', made.poolExportId);
  if (pool !== undefined && pool.state === 'live') return descriptorsOf(pool).map(({ fd }) => ({ fd, bytes: null }));
  throw new GpuIpcError({
    code: 'closed',
    message: 'The descriptor of its pool is closed, and without it nobody can import the memory.',
    hint: 'Export the pool again.',
  });
}

/** A descriptor for each piece, in the order of addresses. */
const virtualParts = (made: Export, { chunks = [] }: Allocation) => {
  const sizes = [...chunks].sort((a, b) => a.offset - b.offset).map(({ bytes }) => bytes);
  return {
    descriptors: descriptorsOf(made).map(({ fd, bytes }, index) => ({ fd, bytes: bytes ?? sizes[index] ?? null })),
  };
};

/** Where the data is and what it is: all of the allocation, in elements when they fill it. */
function dataOf({ address, bytes, dtype, chunks }: Allocation) {
  const allocationSize = chunks === undefined ? bytes : chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const whole = bytes % dtypes[dtype as DtypeId].bytes === 0;
  return {
    base: address,
    offset: 0,
    size: bytes,
    allocationSize,
    dtype,
    ...(whole ? { shape: [elementsInBytes(bytes, dtype)] } : {}),
    byteOrder: 'little',
  } as const;
}
