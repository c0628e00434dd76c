import { describe, expect, it } from 'vitest';
import type { LedgerPatch } from '#contract/records';
import { applyPatches, fromSnapshot, KEPT_CALLS } from './ledger';
import { allocation, call, snapshot } from './testing/records';

const patch = (seq: number, change: Partial<LedgerPatch> = {}): LedgerPatch => ({
  seq,
  changes: [],
  calls: [],
  callsTotal: 0,
  callsFailed: 0,
  ...change,
});
const put = (id: string) => ({ table: 'allocations' as const, put: allocation({ id, peerId: 'p1' }) });

describe('a ledger', () => {
  const start = fromSnapshot(
    snapshot({ seq: 5, allocations: [allocation({ id: 'p1.a1', peerId: 'p1' })], calls: [call({ seq: 1 })] }),
  );

  it('takes patches in order, several at once', () => {
    const next = applyPatches(start, [
      patch(6, { changes: [put('p1.a2')] }),
      patch(7, { changes: [{ table: 'allocations', remove: 'p1.a1' }], callsTotal: 9, callsFailed: 2 }),
    ]);
    expect([...(next?.allocations.keys() ?? [])]).toEqual(['p1.a2']);
    expect(next).toMatchObject({ seq: 7, callsTotal: 9, callsFailed: 2 });
  });

  it('says that there is a gap', () => {
    expect(applyPatches(start, [patch(7)])).toBeUndefined();
    expect(applyPatches(start, [patch(6), patch(8)])).toBeUndefined();
  });

  it('skips what the snapshot already contains', () => {
    expect(applyPatches(start, [patch(4, { changes: [put('p1.a9')] }), patch(5)])?.allocations).toBe(start.allocations);
  });

  it('keeps tables that did not change as the same objects', () => {
    const next = applyPatches(start, [patch(6, { calls: [call({ seq: 2 })] })]);
    expect(next?.allocations).toBe(start.allocations);
    expect(next?.calls.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(start.calls).toHaveLength(1);
  });

  it('puts a newer state of a folded call over the older one, and late calls in their place', () => {
    const next = applyPatches(start, [
      patch(6, { calls: [call({ seq: 3 }), call({ seq: 2 }), call({ seq: 3, count: 7 })] }),
    ]);
    expect(next?.calls.map(({ seq, count }) => [seq, count])).toEqual([
      [1, 1],
      [2, 1],
      [3, 7],
    ]);
  });

  it('keeps the newest calls only', () => {
    const calls = Array.from({ length: KEPT_CALLS + 10 }, (_, index) => call({ seq: index + 2 }));
    const next = applyPatches(start, [patch(6, { calls })]);
    expect(next?.calls).toHaveLength(KEPT_CALLS);
    expect(next?.calls.at(-1)?.seq).toBe(KEPT_CALLS + 11);
  });
});
