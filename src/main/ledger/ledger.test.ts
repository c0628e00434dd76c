import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HostChange, HostTables } from '#contract/host-protocol';
import type { LedgerPatch, LedgerSnapshot, Peer, TableName } from '#contract/records';
import { Ledger } from './ledger';

let now = 0;
let patches: LedgerPatch[] = [];
let ledger: Ledger;

beforeEach(() => {
  now = 1_000;
  patches = [];
  ledger = new Ledger({ deliver: (patch) => patches.push(patch), now: () => now });
});

afterEach(() => {
  vi.restoreAllMocks();
  ledger.stop();
});

const peer = (id: string, role: Peer['role'] = 'producer'): Peer => ({
  id,
  role,
  name: id,
  pid: 1,
  device: 0,
  state: 'alive',
  startedAt: 0,
});

const handleOf = (n: number): Uint8Array => new Uint8Array(64).fill(n);

const allocation = (peerId: string, fields: Partial<HostTables['allocations']> = {}): HostChange => ({
  table: 'allocations',
  put: {
    id: `${peerId}.a1`,
    peerId,
    label: 'activations',
    memory: 'device',
    dtype: 'u8',
    device: 0,
    bytes: 4096,
    address: '0x7f00',
    blockBytes: null,
    state: 'live',
    createdAt: 0,
    ...fields,
  },
});

const exported = (peerId: string, handle: number, fields: Partial<HostTables['exports']> = {}): HostChange => ({
  table: 'exports',
  put: {
    id: `${peerId}.x1`,
    peerId,
    kind: 'memory',
    mechanism: 'legacy',
    objectId: `${peerId}.a1`,
    state: 'live',
    createdAt: 0,
    handle: handleOf(handle),
    ...fields,
  },
});

const mapping = (peerId: string, handle: number, fields: Partial<HostTables['mappings']> = {}): HostChange => ({
  table: 'mappings',
  put: {
    id: `${peerId}.m1`,
    peerId,
    mechanism: 'legacy',
    exportId: null,
    exporterPeerId: null,
    label: 'activations',
    device: 0,
    address: '0x7e00',
    bytes: 4096,
    offset: 0,
    allocationBytes: 4096,
    flags: 1,
    references: 1,
    state: 'open',
    exporter: 'unknown',
    openedAt: 0,
    handle: handleOf(handle),
    ...fields,
  },
});

const row = <T extends Exclude<keyof LedgerSnapshot, 'seq' | 'calls' | 'callsTotal' | 'callsFailed'>>(
  table: T,
  id: string,
) => ledger.snapshot()[table].find((record) => record.id === id) as LedgerSnapshot[T][number] | undefined;

describe('joining', () => {
  beforeEach(() => {
    ledger.addPeer(peer('p1'));
    ledger.addPeer(peer('p2', 'consumer'));
    ledger.apply('p1', [allocation('p1'), exported('p1', 7)], []);
  });

  it('finds the export of a mapping by its handle', () => {
    ledger.apply('p2', [mapping('p2', 7)], []);
    expect(row('mappings', 'p2.m1')).toMatchObject({ exportId: 'p1.x1', exporterPeerId: 'p1', exporter: 'alive' });
  });

  it('leaves a mapping of a handle that nobody here made unknown', () => {
    ledger.apply('p2', [mapping('p2', 8)], []);
    expect(row('mappings', 'p2.m1')).toMatchObject({ exportId: null, exporterPeerId: null, exporter: 'unknown' });
  });

  it('tells which imports are of one foreign handle, until its export is known', () => {
    ledger.addPeer(peer('p3', 'consumer'));
    ledger.apply('p2', [mapping('p2', 8)], []);
    ledger.apply('p3', [mapping('p3', 8), mapping('p3', 9, { id: 'p3.m2' })], []);
    const ids = [row('mappings', 'p2.m1'), row('mappings', 'p3.m1'), row('mappings', 'p3.m2')].map(
      (mapped) => mapped?.handleId,
    );
    expect(ids).toEqual(['h1', 'h1', 'h2']);
    ledger.apply('p2', [mapping('p2', 8, { references: 2 })], []);
    expect(row('mappings', 'p2.m1')).toMatchObject({ references: 2, handleId: 'h1' });
    ledger.apply('p1', [exported('p1', 8, { id: 'p1.x2' })], []);
    for (const id of ['p2.m1', 'p3.m1'])
      expect(row('mappings', id)).toMatchObject({ exportId: 'p1.x2', handleId: undefined });
    expect(row('mappings', 'p3.m2')).toMatchObject({ exportId: null, handleId: 'h2' });
  });

  it('does not join an event with memory that has the same bytes', () => {
    ledger.apply('p1', [exported('p1', 9, { id: 'p1.x2', kind: 'event', objectId: 'p1.e1' })], []);
    ledger.apply('p2', [mapping('p2', 9)], []);
    expect(row('mappings', 'p2.m1')).toMatchObject({ exportId: null });
  });

  it('joins a mapping that is reported before its export', () => {
    ledger.apply('p2', [mapping('p2', 8)], []);
    ledger.apply('p1', [exported('p1', 8, { id: 'p1.x2' })], []);
    expect(row('mappings', 'p2.m1')).toMatchObject({ exportId: 'p1.x2', exporterPeerId: 'p1', exporter: 'alive' });
  });

  it('says freed on both sides when the exporter frees, and keeps the mapping open', () => {
    ledger.apply('p2', [mapping('p2', 7)], []);
    ledger.apply('p1', [allocation('p1', { state: 'freed', endedAt: now })], []);
    expect(row('exports', 'p1.x1')).toMatchObject({ state: 'freed' });
    expect(row('mappings', 'p2.m1')).toMatchObject({ state: 'open', exporter: 'freed' });
  });

  it('says gone when the exporter is killed', () => {
    ledger.apply('p2', [mapping('p2', 7)], []);
    ledger.endPeer('p1', 'lost', 'SIGKILL');
    expect(row('peers', 'p1')).toMatchObject({ state: 'lost', ending: 'SIGKILL', endedAt: now });
    expect(row('allocations', 'p1.a1')).toMatchObject({ state: 'gone', endedAt: now });
    expect(row('exports', 'p1.x1')).toMatchObject({ state: 'gone' });
    expect(row('mappings', 'p2.m1')).toMatchObject({ state: 'open', exporter: 'gone' });
  });

  it('remembers that it was freed before its process went', () => {
    ledger.apply('p2', [mapping('p2', 7)], []);
    ledger.apply('p1', [allocation('p1', { state: 'freed', endedAt: now })], []);
    ledger.endPeer('p1', 'exited', 'closed');
    expect(row('allocations', 'p1.a1')).toMatchObject({ state: 'freed' });
    expect(row('mappings', 'p2.m1')).toMatchObject({ exporter: 'freed' });
  });

  it('closes what an ended process had open', () => {
    ledger.apply('p2', [mapping('p2', 7, { references: 2 })], []);
    ledger.endPeer('p2', 'lost', 'SIGSEGV');
    expect(row('mappings', 'p2.m1')).toMatchObject({ state: 'closed', references: 0, closedAt: now });
    expect(row('allocations', 'p1.a1')).toMatchObject({ state: 'live' });
  });

  it('takes the newer of two exports with the same bytes', () => {
    ledger.endPeer('p1', 'lost', 'SIGKILL');
    ledger.addPeer(peer('p3'));
    ledger.apply('p3', [allocation('p3'), exported('p3', 7)], []);
    ledger.apply('p2', [mapping('p2', 7)], []);
    expect(row('mappings', 'p2.m1')).toMatchObject({ exportId: 'p3.x1', exporter: 'alive' });
  });

  it('ignores what a host says about rows of another process, or after its end', () => {
    ledger.apply('p2', [allocation('p1', { label: 'forged' }), { table: 'allocations', remove: 'p1.a1' }], []);
    expect(row('allocations', 'p1.a1')).toMatchObject({ label: 'activations' });
    ledger.endPeer('p1', 'lost', 'SIGKILL');
    ledger.apply('p1', [allocation('p1', { state: 'live' })], []);
    expect(row('allocations', 'p1.a1')).toMatchObject({ state: 'gone' });
  });

  it('never lets a handle into a snapshot or a patch', () => {
    ledger.apply('p2', [mapping('p2', 7)], []);
    ledger.flush();
    expect(JSON.stringify([ledger.snapshot(), patches])).not.toContain('handle');
    expect(ledger.handleOf('p1.x1')).toEqual(handleOf(7));
  });

  it('hands out copies of a handle', () => {
    ledger.handleOf('p1.x1')?.fill(0);
    expect(ledger.handleOf('p1.x1')).toEqual(handleOf(7));
  });

  it('knows an exporter outside this app by its process', () => {
    ledger.apply('p2', [mapping('p2', 8)], []);
    ledger.addPeer(peer('o1', 'outside'));
    ledger.setOutsideExporter('mappings', 'p2.m1', 'o1');
    expect(row('mappings', 'p2.m1')).toMatchObject({ exporterPeerId: 'o1', exporter: 'alive' });
    ledger.apply('p2', [mapping('p2', 8, { references: 2 })], []);
    expect(row('mappings', 'p2.m1')).toMatchObject({ exporterPeerId: 'o1', exporter: 'alive', references: 2 });
    ledger.endPeer('o1', 'exited', 'ended');
    expect(row('mappings', 'p2.m1')).toMatchObject({ exporter: 'gone', state: 'open' });
  });
});

describe('retention', () => {
  const later = (ms: number) => {
    now += ms;
    ledger.sweep();
  };

  beforeEach(() => {
    ledger.addPeer(peer('p1'));
    ledger.addPeer(peer('p2', 'consumer'));
    ledger.apply('p1', [allocation('p1'), exported('p1', 7)], []);
    ledger.apply('p2', [mapping('p2', 7)], []);
  });

  it('keeps a closed mapping for ten seconds', () => {
    ledger.apply('p2', [mapping('p2', 7, { state: 'closed', references: 0, closedAt: now })], []);
    later(9_999);
    expect(row('mappings', 'p2.m1')).toBeDefined();
    later(1);
    expect(row('mappings', 'p2.m1')).toBeUndefined();
    expect(row('allocations', 'p1.a1')).toBeDefined();
  });

  it('keeps what is gone for as long as somebody has it mapped', () => {
    ledger.endPeer('p1', 'lost', 'SIGKILL');
    later(3_600_000);
    expect(row('allocations', 'p1.a1')).toMatchObject({ state: 'gone' });
    expect(row('peers', 'p1')).toBeDefined();

    ledger.apply('p2', [mapping('p2', 7, { state: 'closed', references: 0, closedAt: now })], []);
    later(10_000);
    const { allocations, exports, mappings, peers } = ledger.snapshot();
    expect([allocations, exports, mappings]).toEqual([[], [], []]);
    expect(peers.map(({ id }) => id)).toEqual(['p2']);
    expect(ledger.handleOf('p1.x1')).toBeUndefined();
  });

  it('keeps an ended process while its window is open', () => {
    ledger.pinPeer('p2');
    ledger.endPeer('p2', 'lost', 'SIGKILL');
    later(60_000);
    expect(row('peers', 'p2')).toBeDefined();
    ledger.unpinPeer('p2');
    later(0);
    expect(row('peers', 'p2')).toBeUndefined();
  });

  it('keeps a mapping that is open again', () => {
    ledger.apply('p2', [mapping('p2', 7, { state: 'closed', references: 0, closedAt: now })], []);
    ledger.apply('p2', [mapping('p2', 7)], []);
    later(20_000);
    expect(row('mappings', 'p2.m1')).toMatchObject({ state: 'open' });
  });
});

describe('patches', () => {
  it('sends one record once per patch, as it is at the end', () => {
    ledger.addPeer(peer('p1'));
    ledger.updatePeer('p1', { name: 'Producer 1' });
    ledger.updatePeer('p1', { name: 'Producer 2' });
    ledger.flush();
    expect(patches).toHaveLength(1);
    expect(patches[0]?.changes).toMatchObject([{ table: 'peers', put: { name: 'Producer 2' } }]);
  });

  it('sends nothing when nothing changes', () => {
    ledger.addPeer(peer('p1'));
    ledger.flush();
    ledger.updatePeer('p1', { name: 'p1' });
    ledger.flush();
    expect(patches).toHaveLength(1);
  });

  it('sends what an answer waits for at once, and what closely follows together', async () => {
    // The clock stands still: on a busy machine what follows would not be close.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    ledger.addPeer(peer('p1'));
    expect(ledger.changesSent()).toBeUndefined();
    expect(patches).toHaveLength(1);
    const waiting = ['p2', 'p3', 'p4'].map((id) => {
      ledger.addPeer(peer(id));
      return ledger.changesSent();
    });
    expect(waiting).toEqual([expect.any(Promise), expect.any(Promise), expect.any(Promise)]);
    expect(patches).toHaveLength(1);
    await Promise.all(waiting);
    expect(patches).toHaveLength(2);
    expect(patches[1]?.changes).toHaveLength(3);
    expect(ledger.changesSent()).toBeUndefined();
  });

  it('sends by itself, at most sixty times a second', async () => {
    const began = performance.now();
    ledger.addPeer(peer('p1'));
    for (let n = 0; n < 20; n += 1) {
      ledger.updatePeer('p1', { name: `n${n}` });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await vi.waitFor(() => expect(patches.at(-1)?.changes).toMatchObject([{ put: { name: 'n19' } }]));
    expect(patches.length).toBeGreaterThan(1);
    // One at once, and one for each frame that has passed; timers are a millisecond early at times.
    expect(patches.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 15));
  });

  /** What a window does: a snapshot, then patches in order. */
  it('leads any window from any snapshot to the present state, without a gap in the numbers', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('alloc' as const), p: fc.integer({ min: 1, max: 3 }), n: fc.nat(5) }),
      fc.record({ kind: fc.constant('free' as const), p: fc.integer({ min: 1, max: 3 }), n: fc.nat(5) }),
      fc.record({ kind: fc.constant('map' as const), p: fc.integer({ min: 1, max: 3 }), n: fc.nat(5) }),
      fc.record({ kind: fc.constant('close' as const), p: fc.integer({ min: 1, max: 3 }), n: fc.nat(5) }),
      fc.record({ kind: fc.constant('end' as const), p: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant('time' as const), ms: fc.nat(15_000) }),
      fc.record({ kind: fc.constant('flush' as const) }),
      fc.record({ kind: fc.constant('open' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        now = 0;
        const windows: { seq: number; rows: Map<string, unknown> }[] = [];
        const deliver = (patch: LedgerPatch) => {
          for (const window of windows) {
            expect(patch.seq).toBe(window.seq + 1);
            window.seq = patch.seq;
            for (const change of patch.changes) {
              if ('put' in change) window.rows.set(`${change.table} ${change.put.id}`, change.put);
              else window.rows.delete(`${change.table} ${change.remove}`);
            }
          }
        };
        const all = new Ledger({ deliver, now: () => now });
        for (const id of ['p1', 'p2', 'p3']) all.addPeer(peer(id));
        const rowsOf = (snapshot: LedgerSnapshot) => {
          const rows = new Map<string, unknown>();
          for (const table of [
            'peers',
            'allocations',
            'exports',
            'mappings',
            'events',
            'eventImports',
          ] as TableName[]) {
            for (const record of snapshot[table]) rows.set(`${table} ${record.id}`, record);
          }
          return rows;
        };

        for (const s of steps) {
          if (s.kind === 'alloc') {
            const id = `p${s.p}`;
            const object = { id: `${id}.a${s.n}` };
            all.apply(id, [allocation(id, object)], []);
            all.apply(id, [exported(id, s.p * 10 + s.n, { id: `${id}.x${s.n}`, objectId: object.id })], []);
          } else if (s.kind === 'free') {
            all.apply(`p${s.p}`, [allocation(`p${s.p}`, { id: `p${s.p}.a${s.n}`, state: 'freed', endedAt: now })], []);
          } else if (s.kind === 'map') {
            all.apply(`p${s.p}`, [mapping(`p${s.p}`, ((s.p % 3) + 1) * 10 + s.n, { id: `p${s.p}.m${s.n}` })], []);
          } else if (s.kind === 'close') {
            const closed = { id: `p${s.p}.m${s.n}`, state: 'closed', references: 0, closedAt: now } as const;
            all.apply(`p${s.p}`, [mapping(`p${s.p}`, ((s.p % 3) + 1) * 10 + s.n, closed)], []);
          } else if (s.kind === 'end') all.endPeer(`p${s.p}`, 'lost', 'SIGKILL');
          else if (s.kind === 'time') {
            now += s.ms;
            all.sweep();
          } else if (s.kind === 'flush') all.flush();
          else {
            const snapshot = all.snapshot();
            windows.push({ seq: snapshot.seq, rows: rowsOf(snapshot) });
          }
        }
        const present = all.snapshot();
        for (const window of windows) {
          expect(window.seq).toBe(present.seq);
          expect(window.rows).toEqual(rowsOf(present));
        }
        // No mapping is open in an ended process, and none hangs on an export that is not there.
        const running = new Set(present.peers.filter(({ state }) => state === 'alive').map(({ id }) => id));
        const exports = new Map(present.exports.map((made) => [made.id, made]));
        for (const { peerId, state, exportId, exporter } of present.mappings) {
          if (state === 'open') expect(running.has(peerId)).toBe(true);
          if (exportId === null) expect(exporter).toBe('unknown');
          else expect(exporter).toBe(exports.get(exportId)?.state === 'live' ? 'alive' : exports.get(exportId)?.state);
        }
        for (const { peerId, state } of present.allocations)
          if (state === 'live') expect(running.has(peerId)).toBe(true);
        all.stop();
      }),
      { numRuns: 150 },
    );
  });
});
