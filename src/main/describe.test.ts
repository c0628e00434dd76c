import { describe, expect, it } from 'vitest';
import { parseDescriptor, printDescriptor } from '#contract/descriptor';
import type { Allocation, Export, Physical, Pool, Tables } from '#contract/records';
import { type DescribedLedger, describeExport, exportNamed } from './describe';

const uuid = 'GPU-01234567-89ab-cdef-0123-456789abcdef';
const handle = new Uint8Array(64).fill(0xab);

const allocation: Allocation = {
  id: 'p1.a1',
  peerId: 'p1',
  label: 'weights',
  memory: 'device',
  dtype: 'f32',
  device: 1,
  bytes: 4096,
  address: '0x7f0000000000',
  blockBytes: null,
  state: 'live',
  createdAt: 0,
};
const exported = (more: Partial<Export> = {}): Export => ({
  id: 'p1.x1',
  peerId: 'p1',
  kind: 'memory',
  mechanism: 'legacy',
  objectId: 'p1.a1',
  state: 'live',
  createdAt: 1,
  ...more,
});

type Rows = { [T in keyof Tables]?: readonly Tables[T][] };

function ledger(rows: Rows): DescribedLedger {
  const all: Rows = {
    peers: [{ id: 'p1', role: 'producer', name: 'Producer 1', pid: 4711, device: 1, state: 'alive', startedAt: 0 }],
    allocations: [allocation],
    ...rows,
  };
  const of = <T extends keyof Tables>(table: T) => (all[table] ?? []) as readonly Tables[T][];
  return {
    records: of,
    record: (table, id) => of(table).find((row) => row.id === id),
    peer: (id) => of('peers').find((row) => row.id === id),
    handleOf: (id) => (of('exports').find((row) => row.id === id) === undefined ? undefined : Uint8Array.from(handle)),
  };
}

/** As another program reads it. */
function described(rows: Rows, id = 'p1.x1') {
  const known = ledger(rows);
  const reading = parseDescriptor(printDescriptor(describeExport(known, exportNamed(known, id), uuid)));
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.descriptor;
}

describe('an export as a descriptor', () => {
  it('of legacy memory says all an importer needs', () => {
    expect(described({ exports: [exported()] })).toEqual({
      format: 'gpu-ipc-descriptor',
      version: 1,
      mechanism: 'legacy',
      handle: 'ab'.repeat(64),
      exporter: { pid: 4711, pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/), name: 'Producer 1' },
      device: { uuid, ordinal: 1 },
      base: '0x7f0000000000',
      offset: 0,
      size: 4096,
      allocationSize: 4096,
      dtype: 'f32',
      shape: [1024],
      byteOrder: 'little',
      label: 'weights',
    });
  });

  it('counts packed elements, and none where they do not fill the memory', () => {
    const packed = { ...allocation, dtype: 'i4', bytes: 3 } as const;
    expect(described({ exports: [exported()], allocations: [packed] }).shape).toEqual([6]);
    const odd = { ...allocation, bytes: 5 };
    expect(described({ exports: [exported()], allocations: [odd] })).not.toHaveProperty('shape');
  });

  it('of memory of a pool has the descriptor of the pool', () => {
    const pool: Partial<Export> = { id: 'p1.x2', kind: 'pool', mechanism: 'pool', objectId: 'p1.q1' };
    const memory = exported({ mechanism: 'pool', poolExportId: 'p1.x2' });
    const open = exported({ ...pool, descriptors: [{ fd: 31, bytes: null }] });
    expect(described({ exports: [memory, open] })).toMatchObject({
      mechanism: 'pool',
      handle: 'ab'.repeat(64),
      descriptors: [{ fd: 31, bytes: null }],
    });
    const shut = exported({ ...pool, state: 'closed', descriptors: [] });
    expect(() => described({ exports: [memory, shut] })).toThrow(/descriptor of its pool is closed/);
  });

  it('of a pool alone is refused', () => {
    const pool = { id: 'p1.q1', label: 'pool 1', device: 0 } as Pool;
    const rows = { pools: [pool], exports: [exported({ kind: 'pool', mechanism: 'pool', objectId: 'p1.q1' })] };
    expect(() => described(rows)).toThrow(/pool 1 is a pool/);
  });

  it('of virtual memory has a descriptor for each piece', () => {
    const range: Allocation = {
      ...allocation,
      memory: 'virtual',
      bytes: 100,
      chunks: [
        { offset: 2048, bytes: 4096, physicalId: 'p1.f2' },
        { offset: 0, bytes: 2048, physicalId: 'p1.f1' },
      ],
    };
    const descriptors = [
      { fd: 5, bytes: 2048 },
      { fd: 6, bytes: 4096 },
    ];
    const made = described({ allocations: [range], exports: [exported({ mechanism: 'virtual', descriptors })] });
    expect(made).toMatchObject({ mechanism: 'virtual', descriptors, size: 100, allocationSize: 6144, shape: [25] });
    expect(made).not.toHaveProperty('handle');
  });

  it('of physical memory and of an event', () => {
    const physical = { id: 'p1.f1', label: 'physical memory 1', device: 0, bytes: 2048 } as Physical;
    const descriptors = [{ fd: 9, bytes: 2048 }];
    const made = exported({ kind: 'physical', mechanism: 'virtual', objectId: 'p1.f1', descriptors });
    expect(described({ physicals: [physical], exports: [made] })).toMatchObject({ descriptors, size: 2048 });
    const events = [{ id: 'p1.e1', label: 'done', device: 0 } as Tables['events']];
    const event = exported({ kind: 'event', objectId: 'p1.e1' });
    expect(described({ events, exports: [event] })).toMatchObject({ mechanism: 'event', size: 0, label: 'done' });
  });

  it('is found by the id of its object, the newest first', () => {
    const exports = [exported({ id: 'p1.x1', state: 'freed' }), exported({ id: 'p1.x2', createdAt: 2 })];
    expect(exportNamed(ledger({ exports }), 'p1.a1').id).toBe('p1.x2');
    expect(() => exportNamed(ledger({ exports: [] }), 'p1.a1')).toThrow(/Nothing is exported/);
  });

  it.each([
    ['freed', /weights was freed/],
    ['closed', /no open descriptors/],
    ['gone', /process that is gone/],
  ] as const)('that is %s is refused', (state, why) => {
    expect(() => exportNamed(ledger({ exports: [exported({ state })] }), 'p1.x1')).toThrow(why);
  });
});
