/** Records for tests: complete, plain, changed where a test says so. */
import type {
  Allocation,
  Call,
  EventImport,
  EventRecord,
  Export,
  LedgerSnapshot,
  Mapping,
  Peer,
  Physical,
  Pool,
} from '#contract/records';
import { fromSnapshot, type Ledger } from '../ledger';

export const peer = (change: Partial<Peer> & Pick<Peer, 'id'>): Peer => ({
  role: 'producer',
  name: change.id,
  pid: 100,
  device: 0,
  state: 'alive',
  startedAt: 0,
  ...change,
});

export const allocation = (change: Partial<Allocation> & Pick<Allocation, 'id' | 'peerId'>): Allocation => ({
  label: change.id,
  memory: 'device',
  dtype: 'f32',
  device: 0,
  bytes: 4096,
  address: '0x7f0000000000',
  blockBytes: 2 ** 21,
  state: 'live',
  createdAt: 1,
  ...change,
});

export const exported = (change: Partial<Export> & Pick<Export, 'id' | 'peerId' | 'objectId'>): Export => ({
  kind: 'memory',
  mechanism: 'legacy',
  state: 'live',
  createdAt: 2,
  ...change,
});

export const mapping = (change: Partial<Mapping> & Pick<Mapping, 'id' | 'peerId'>): Mapping => ({
  mechanism: 'legacy',
  exportId: null,
  exporterPeerId: null,
  label: '',
  device: 0,
  address: '0x7e0000000000',
  bytes: 4096,
  offset: 0,
  allocationBytes: 4096,
  flags: 1,
  references: 1,
  state: 'open',
  exporter: 'alive',
  openedAt: 3,
  ...change,
});

export const pool = (change: Partial<Pool> & Pick<Pool, 'id' | 'peerId'>): Pool => ({
  label: change.id,
  device: 0,
  imported: false,
  shareable: true,
  maxBytes: null,
  state: 'live',
  usage: null,
  access: [{ device: 0, access: 'read-write' }],
  exportId: null,
  exporterPeerId: null,
  createdAt: 1,
  ...change,
});

export const physical = (change: Partial<Physical> & Pick<Physical, 'id' | 'peerId'>): Physical => ({
  label: change.id,
  device: 0,
  bytes: 2 ** 21,
  requestedBytes: 2 ** 21,
  imported: false,
  shareable: 'fd',
  state: 'live',
  exportId: null,
  exporterPeerId: null,
  createdAt: 1,
  ...change,
});

export const event = (change: Partial<EventRecord> & Pick<EventRecord, 'id' | 'peerId'>): EventRecord => ({
  label: change.id,
  device: 0,
  flags: 6,
  state: 'live',
  status: null,
  createdAt: 1,
  ...change,
});

export const eventImport = (change: Partial<EventImport> & Pick<EventImport, 'id' | 'peerId'>): EventImport => ({
  exportId: null,
  exporterPeerId: null,
  label: '',
  device: 0,
  state: 'open',
  status: null,
  exporter: 'alive',
  openedAt: 3,
  ...change,
});

export const call = (change: Partial<Call> & Pick<Call, 'seq'>): Call => ({
  peerId: 'p1',
  peerName: 'Inspector',
  at: change.seq,
  name: 'cuMemAlloc_v2',
  args: '',
  result: 0,
  resultName: 'CUDA_SUCCESS',
  us: 1,
  count: 1,
  ...change,
});

export const snapshot = (change: Partial<LedgerSnapshot> = {}): LedgerSnapshot => ({
  seq: 0,
  peers: [],
  allocations: [],
  exports: [],
  mappings: [],
  events: [],
  eventImports: [],
  pools: [],
  physicals: [],
  calls: [],
  callsTotal: 0,
  callsFailed: 0,
  ...change,
});

export const ledgerOf = (change: Partial<LedgerSnapshot>): Ledger => fromSnapshot(snapshot(change));

/**
 * `activations` of Producer 1, open in Consumer 1 (twice) and in the Inspector; `scratch` of the Inspector, not
 * exported; memory of python3, open in the Inspector; an event of Producer 1, open in Consumer 1.
 */
export const shared = () =>
  ledgerOf({
    peers: [
      peer({ id: 'p1', role: 'inspector', name: 'Inspector', pid: 41187 }),
      peer({ id: 'p2', name: 'Producer 1', pid: 41210 }),
      peer({ id: 'p3', role: 'consumer', name: 'Consumer 1', pid: 41233 }),
      peer({ id: 'p4', role: 'outside', name: 'python3', pid: 38914 }),
    ],
    allocations: [
      allocation({ id: 'p2.a1', peerId: 'p2', label: 'activations', bytes: 4 * 2 ** 20, createdAt: 10 }),
      allocation({ id: 'p1.a1', peerId: 'p1', label: 'scratch', bytes: 16 * 2 ** 20, createdAt: 40 }),
    ],
    exports: [
      exported({ id: 'p2.x1', peerId: 'p2', objectId: 'p2.a1' }),
      exported({ id: 'p2.x2', peerId: 'p2', objectId: 'p2.e1', kind: 'event' }),
    ],
    mappings: [
      mapping({
        id: 'p3.m1',
        peerId: 'p3',
        exportId: 'p2.x1',
        exporterPeerId: 'p2',
        bytes: 4 * 2 ** 20,
        references: 2,
        openedAt: 20,
      }),
      mapping({
        id: 'p1.m1',
        peerId: 'p1',
        exportId: 'p2.x1',
        exporterPeerId: 'p2',
        bytes: 4 * 2 ** 20,
        openedAt: 21,
        address: '0x7f41a8000000',
      }),
      mapping({
        id: 'p1.m2',
        peerId: 'p1',
        exporterPeerId: 'p4',
        label: 'kv_cache.k',
        device: 1,
        bytes: 2 ** 36,
        allocationBytes: 2 ** 36,
        openedAt: 30,
      }),
    ],
    events: [event({ id: 'p2.e1', peerId: 'p2', label: 'activations ready', status: 'ready', createdAt: 11 })],
    eventImports: [eventImport({ id: 'p3.i1', peerId: 'p3', exportId: 'p2.x2', exporterPeerId: 'p2', openedAt: 22 })],
  });
