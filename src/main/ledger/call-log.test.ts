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

  it('folds equal calls of one process, also when the polling of others comes between', () => {
    const log = new CallLog();
    for (let n = 0; n < 5; n += 1) {
      log.add(call({ peerId: 'p1', args: 'activations, 32 B', us: n }), 'Inspector');
      log.add(call({ peerId: 'p2', name: 'cuEventQuery', result: 600, count: 2 }), 'Consumer 1');
      log.add(call({ peerId: 'p1', args: 'weights, 32 B' }), 'Inspector');
    }
    expect(log.kept().map(({ seq, args, count }) => [seq, args, count])).toEqual([
      [1, 'activations, 32 B', 5],
      [2, '', 10],
      [3, 'weights, 32 B', 5],
    ]);
    expect(log.kept()[0]?.us).toBe(4);
    expect(log.total).toBe(20);
  });

  it('does not fold across what happens once', () => {
    const log = new CallLog();
    log.add(call(), 'Inspector');
    log.add(call({ name: 'cuMemFree_v2' }), 'Inspector');
    log.add(call({ name: 'cuMemFree_v2' }), 'Inspector');
    log.add(call(), 'Inspector');
    expect(log.kept().map(({ name, count }) => [name, count])).toEqual([
      ['cuMemcpyDtoH_v2', 1],
      ['cuMemFree_v2', 2],
      ['cuMemcpyDtoH_v2', 1],
    ]);
  });

  it.each([
    ['result', { result: 1 }],
    ['arguments', { args: 'weights' }],
    ['object', { objectId: 'p1.a1' }],
    ['process', { peerId: 'p2' }],
    ['hint', { hint: 'It was freed.' }],
  ])('does not fold calls of another %s', (_what, fields) => {
    const log = new CallLog();
    log.add(call(), 'Inspector');
    log.add(call(fields), 'Inspector');
    expect(log.kept()).toHaveLength(2);
  });

  it('does not fold into a record that is no longer kept', () => {
    const log = new CallLog(2);
    log.add(call(), 'Inspector');
    for (const peerId of ['p2', 'p3']) log.add(call({ peerId }), peerId);
    expect(log.add(call(), 'Inspector')).toMatchObject({ seq: 4, count: 1 });
  });

  it('counts NOT_READY as a call, not as a failure', () => {
    const log = new CallLog();
    log.add(call({ name: 'cuEventQuery', result: 600, count: 138 }), 'Consumer 1');
    expect([log.total, log.failed]).toEqual([138, 0]);
  });

  it('keeps the newest, numbers without gap, and counts every call once', () => {
    const event = fc.record({
      peerId: fc.constantFrom('p1', 'p2', 'p3'),
      name: fc.constantFrom('cuMemcpyDtoH_v2', 'cuEventQuery', 'cuMemFree_v2'),
      count: fc.integer({ min: 1, max: 5 }),
      result: fc.constantFrom(0, 1, 600),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (events, capacity) => {
        const log = new CallLog(capacity);
        for (const fields of events) log.add(call(fields), fields.peerId);
        const seqs = log.kept().map(({ seq }) => seq);
        expect(seqs.length).toBeLessThanOrEqual(capacity);
        expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
        expect(log.total).toBe(events.reduce((sum, { count }) => sum + count, 0));
        if (seqs[0] === 1) expect(log.kept().reduce((sum, { count }) => sum + count, 0)).toBe(log.total);
      }),
    );
  });
});
