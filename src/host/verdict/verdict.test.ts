import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sharing } from '#contract/devices';
import type { Mechanism, MemoryKind } from '#contract/values';
import { root } from '../testing/driver';
import type { Attributes, MemoryFacts, PieceFacts } from './facts';
import { verdictOf, verdictOfNothing } from './verdict';

const can = { supported: true, why: 'It can.' };
const cannot = { supported: false, why: 'The device cannot.' };
/** A device that shares everything but over the fabric, as the measured one. */
const sharing: Sharing = { legacyMemory: can, events: can, poolFd: can, vmmFd: can, fabric: cannot };
const everything: Sharing = { ...sharing, fabric: can };

const device: Attributes = {
  MEMORY_TYPE: 2,
  IS_MANAGED: 0,
  IS_LEGACY_CUDA_IPC_CAPABLE: 1,
  ALLOWED_HANDLE_TYPES: 0,
  MEMPOOL_HANDLE: 0n,
};
const pool: Attributes = { ...device, IS_LEGACY_CUDA_IPC_CAPABLE: 0, ALLOWED_HANDLE_TYPES: 1, MEMPOOL_HANDLE: 7n };
const created: Attributes = { ...device, IS_LEGACY_CUDA_IPC_CAPABLE: 0, ALLOWED_HANDLE_TYPES: 1 };

const piece = (attributes: Attributes, retained: boolean | null = false): PieceFacts => ({ attributes, retained });
const facts = (pieces: readonly PieceFacts[], more: Partial<MemoryFacts> = {}): MemoryFacts => ({
  record: undefined,
  pieces,
  inDefaultPool: null,
  sharing: everything,
  ...more,
});
const possible = (of: MemoryFacts): Record<Mechanism, boolean | null> =>
  Object.fromEntries(verdictOf(of).mechanisms.map((one) => [one.mechanism, one.possible])) as never;
const answer = (of: MemoryFacts, mechanism: Mechanism) =>
  verdictOf(of).mechanisms.find((one) => one.mechanism === mechanism);

const none = { legacy: false, pool: false, virtual: false, fabric: false };

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}
const { pointerAttributes } = JSON.parse(
  readFileSync(resolve(root, 'native-bridge/conformance/driver-behaviour.json'), 'utf8'),
) as { pointerAttributes: Table };

/** Of each measured kind: what it is without and with the records, and the one way to share it. */
const kinds: Readonly<Record<string, [plain: string, record: MemoryFacts['record'], way: Mechanism | undefined]>> = {
  'cuMemAlloc 4 MiB': ['device', { kind: 'device' }, 'legacy'],
  'cuMemAlloc 4 KiB': ['device', { kind: 'device' }, 'legacy'],
  'cuMemAllocManaged 1 MiB': ['managed', { kind: 'managed' }, undefined],
  'cuMemAllocHost 1 MiB': ['pinned', { kind: 'pinned' }, undefined],
  'cuMemHostAlloc DEVICEMAP 1 MiB': ['pinned', { kind: 'mapped' }, undefined],
  'cuMemAllocAsync, default pool, 1 MiB': ['default-pool', { kind: 'default-pool' }, undefined],
  'pool POSIX_FD, 1 MiB': ['pool', { kind: 'pool' }, 'pool'],
  'pool NONE, 1 MiB': ['pool', { kind: 'pool' }, undefined],
  'cuMemCreate POSIX_FD, 2 MiB': ['virtual', { kind: 'virtual' }, 'virtual'],
  'cuMemCreate NONE, 2 MiB': ['virtual', { kind: 'virtual' }, undefined],
  'imported legacy mapping, 4 MiB': ['imported', { imported: 'legacy' }, undefined],
  // By its attributes alone it cannot be told from a pool that is not shareable.
  'imported pool pointer, 4 MiB': ['pool', { imported: 'pool' }, undefined],
};

describe('of every measured kind of memory', () => {
  it('is there a row', () => {
    expect(pointerAttributes.rows.map(([kind]) => kind).sort()).toEqual(Object.keys(kinds).sort());
  });

  it.each(pointerAttributes.rows)('%s', (kind, ...row) => {
    const cell = (column: string) => row[pointerAttributes.columns.indexOf(column) - 1];
    const names = ['MEMORY_TYPE', 'IS_MANAGED', 'IS_LEGACY_CUDA_IPC_CAPABLE', 'ALLOWED_HANDLE_TYPES', 'MAPPING_SIZE'];
    const attributes: Attributes = {
      ...Object.fromEntries(names.map((name) => [name, cell(name)])),
      MEMPOOL_HANDLE: cell('MEMPOOL_HANDLE') === 'set' ? 7n : 0n,
    };
    const measured = facts([piece(attributes, cell('cuMemRetainAllocationHandle') === 'CUDA_SUCCESS')], {
      inDefaultPool: String(kind).includes('default pool'),
      sharing,
    });
    const [plain, record, way] = kinds[String(kind)] ?? [];
    expect(verdictOf(measured).subject.memory).toBe(plain);
    expect(possible(measured)).toEqual(way === undefined ? none : { ...none, [way]: true });
    expect(possible({ ...measured, record })).toEqual(way === undefined ? none : { ...none, [way]: true });
    expect(possible(measured).legacy).toBe(cell('cuIpcGetMemHandle') === 'CUDA_SUCCESS');
    expect(verdictOf({ ...measured, record }).subject.memory).toBe(
      record && 'kind' in record ? record.kind : 'imported',
    );
  });
});

describe('a verdict', () => {
  it('says for every no why, and how memory can be shared that way where the device can', () => {
    const rows: MemoryFacts[] = [facts([piece(device)]), facts([piece(pool)]), facts([piece(created, true)])];
    for (const row of rows) {
      for (const { possible, why, next } of verdictOf(row).mechanisms) {
        expect(why).toMatch(/^[A-Z].{10,}\.$/);
        if (possible === false) expect(next).toMatch(/^[A-Z].{10,}\.$/);
        else expect(next).toBeUndefined();
      }
    }
  });

  it('names the device as the hindrance where another kind of memory would not help', () => {
    expect(answer(facts([piece(device)], { sharing }), 'fabric')?.next).toBe(cannot.why);
    const tegra = { ...everything, legacyMemory: cannot };
    expect(answer(facts([piece(device)], { sharing: tegra }), 'legacy')).toMatchObject({ why: cannot.why });
  });

  it('is no for memory of a pool that is too large to be imported', () => {
    const GiB = 2 ** 30;
    const old: Attributes = { MEMORY_TYPE: 2, IS_LEGACY_CUDA_IPC_CAPABLE: 0 };
    for (const record of [undefined, { kind: 'pool' }] as const) {
      expect(possible(facts([piece(pool)], { record, bytes: 4 * GiB })).pool).toBe(true);
      const too = answer(facts([piece(pool)], { record, bytes: 8 * GiB }), 'pool');
      expect(too).toMatchObject({ possible: false, why: expect.stringMatching(/8\.00 GiB.*crash/) });
      expect(too?.next).toMatch(/virtual memory/);
    }
    // An old driver that says nothing crashes as well as far as anybody knows.
    expect(possible(facts([piece(old)], { record: { kind: 'pool' }, bytes: 8 * GiB })).pool).toBe(false);
    expect(possible(facts([piece(old)], { record: { kind: 'pool' }, bytes: 4 * GiB })).pool).toBeNull();
    // It is of the wrong kind before it is too large.
    expect(answer(facts([piece(device)], { bytes: 8 * GiB }), 'pool')?.why).toMatch(/not of a pool/);
  });

  it('is for a trial where the driver does not say', () => {
    const old: Attributes = { MEMORY_TYPE: 2, IS_MANAGED: 0 };
    expect(possible(facts([piece(old)], { record: { kind: 'device' } })).legacy).toBeNull();
    expect(possible(facts([piece(old)], { record: { kind: 'pool' } })).pool).toBeNull();
    expect(possible(facts([piece(old, true)], { record: { kind: 'virtual' } })).virtual).toBeNull();
    expect(possible(facts([piece(created, null)], { record: { kind: 'virtual' } })).virtual).toBeNull();
  });

  it('of imported memory sends to the exporter, whatever the attributes say', () => {
    for (const imported of ['legacy', 'pool', 'virtual', 'fabric'] as const) {
      const attributes = { ...(imported === 'pool' ? pool : created), ALLOWED_HANDLE_TYPES: 0 };
      const of = facts([piece(attributes, imported === 'virtual' || imported === 'fabric')], { record: { imported } });
      expect(possible(of)).toEqual(none);
      expect(verdictOf(of).subject).toEqual({ memory: 'imported', mechanism: imported });
      for (const { next } of verdictOf(of).mechanisms) expect(next).toMatch(/exporter/);
    }
  });

  it('of a range looks at each of its pieces', () => {
    const range = (...pieces: PieceFacts[]) => facts(pieces, { record: { kind: 'virtual' } });
    const good = piece(created, true);
    const imported = piece({ ...created, ALLOWED_HANDLE_TYPES: 0 }, true);
    expect(possible(range(good, good))).toEqual({ ...none, virtual: true });
    expect(possible(range(good, imported))).toEqual(none);
    expect(answer(range(good, imported), 'virtual')?.why).toMatch(/^1 of its 2 pieces/);
    expect(possible(range())).toEqual(none);
    expect(answer(range(), 'virtual')?.why).toMatch(/Nothing is mapped/);
  });

  it('knows the fabric', () => {
    const fabric = piece({ ...created, ALLOWED_HANDLE_TYPES: 9 }, true);
    expect(possible(facts([fabric]))).toEqual({ ...none, virtual: true, fabric: true });
    expect(possible(facts([fabric], { sharing })).fabric).toBe(false);
    expect(possible(facts([fabric, fabric])).fabric).toBe(false);
  });

  it('of nothing is no, four times', () => {
    const { subject, mechanisms } = verdictOfNothing('weights was freed.');
    expect(subject).toEqual({ memory: 'nothing', mechanism: null });
    expect(mechanisms.map(({ possible }) => possible)).toEqual([false, false, false, false]);
    const kind: MemoryKind | 'nothing' = 'nothing';
    expect(verdictOf(facts([])).subject.memory).toBe(kind);
  });
});
