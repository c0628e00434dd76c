import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostCall } from '#contract/host-protocol';
import { CallLog } from './call-log';

const call = (fields: Partial<HostCall> = {}): HostCall => ({
  peerId: 'p1',
  at: 1,
  name: 'cuMemcpyDtoH_v2',
  args: '',
  result: 0,
  resultName: 'CUDA_SUCCESS',
  us: 1,
  count: 1,
  ...fields,
});

describe('CallLog', () => {
  it('numbers calls over all processes in the order in which they come', () => {
    const log = new CallLog();
    log.add(call({ peerId: 'p1', at: 10 }), 'Inspector');
    log.add(call({ peerId: 'p2', at: 5 }), 'Producer 1');
    expect(log.kept().map(({ seq, peerName }) => [seq, peerName])).toEqual([
      [1, 'Inspector'],
      [2, 'Producer 1'],
    ]);
  });

  it('takes a call that began at the same time as the same record, counted up', () => {
    const log = new CallLog();
    log.add(call({ at: 10, count: 2 }), 'Inspector');
    log.add(call({ at: 11, name: 'cuMemFree_v2', result: 1 }), 'Inspector');
    const again = log.add(call({ at: 10, count: 7, us: 3 }), 'Inspector');
    expect(again).toMatchObject({ seq: 1, count: 7, us: 3 });
    expect(log.kept()).toHaveLength(2);
    expect(log.total).toBe(8);
    expect(log.failed).toBe(1);
  });

  it('goes on counting one record while many others come', () => {
    const log = new CallLog();
    for (let n = 1; n <= 100; n += 1) {
      log.add(call({ at: 0.5, name: 'cuMemcpyDtoH_v2', count: n }), 'Inspector');
      log.add(call({ at: n, name: 'cuMemAlloc_v2' }), 'Inspector');
    }
    expect(log.kept()).toHaveLength(101);
    expect(log.kept()[0]).toMatchObject({ seq: 1, count: 100 });
    expect(log.total).toBe(200);
  });

  it('does not mix up calls of two processes that began at the same time', () => {
    const log = new CallLog();
    log.add(call({ peerId: 'p1', at: 10 }), 'Inspector');
    log.add(call({ peerId: 'p2', at: 10 }), 'Producer 1');
    expect(log.kept()).toHaveLength(2);
  });

  it('counts NOT_READY as a call, not as a failure', () => {
    const log = new CallLog();
    log.add(call({ name: 'cuEventQuery', result: 600, count: 138 }), 'Consumer 1');
    expect([log.total, log.failed]).toEqual([138, 0]);
  });

  it('keeps the newest, numbers without gap, and counts every call once', () => {
    const event = fc.record({
      peerId: fc.constantFrom('p1', 'p2', 'p3'),
      again: fc.boolean(),
      more: fc.integer({ min: 1, max: 5 }),
      result: fc.constantFrom(0, 1, 600),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (events, capacity) => {
        const log = new CallLog(capacity);
        const newest = new Map<string, HostCall>();
        let at = 0;
        let total = 0;
        for (const { peerId, again, more, result } of events) {
          const before = newest.get(peerId);
          at += 1;
          const next =
            again && before ? { ...before, count: before.count + more } : call({ peerId, at, count: more, result });
          newest.set(peerId, next);
          total += more;
          log.add(next, peerId);
        }
        const seqs = log.kept().map(({ seq }) => seq);
        expect(seqs.length).toBeLessThanOrEqual(capacity);
        expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
        expect(log.total).toBe(total);
      }),
    );
  });
});
