import { describe, expect, it } from 'vitest';
import { CallLog } from './call-log';

const read = { name: 'cuMemcpyDtoH_v2', result: 0, resultName: 'CUDA_SUCCESS', us: 7 };
const query = { name: 'cuEventQuery', result: 600, resultName: 'CUDA_ERROR_NOT_READY', us: 1 };
const open = { name: 'cuIpcOpenMemHandle_v2', result: 0, resultName: 'CUDA_SUCCESS', us: 28 };
const closing = { name: 'cuIpcCloseMemHandle', result: 0, resultName: 'CUDA_SUCCESS', us: 20 };

const log = () => new CallLog('p1');
const brief = (calls: ReturnType<CallLog['take']>) =>
  calls.map(({ name, args, count }) => `${name} ${args} × ${count}`);

describe('folding', () => {
  it('counts equal calls and keeps the latest duration', () => {
    const calls = log();
    const before = Date.now();
    for (const us of [7, 8, 9]) calls.add({ ...read, us }, { args: 'weights, 64 B' });
    const [record] = calls.take();
    expect(record).toMatchObject({ peerId: 'p1', count: 3, us: 9, result: 0 });
    // The time of day, to two milliseconds: see clock.ts.
    expect(record?.at).toBeGreaterThanOrEqual(before - 3);
    expect(record?.at).toBeLessThanOrEqual(Date.now() + 2);
  });

  it('sends the calls since the last time only', () => {
    const calls = log();
    calls.add(read, { args: 'a' });
    calls.add(read, { args: 'a' });
    expect(brief(calls.take())).toEqual(['cuMemcpyDtoH_v2 a × 2']);
    calls.add(read, { args: 'a' });
    expect(brief(calls.take())).toEqual(['cuMemcpyDtoH_v2 a × 1']);
    expect(calls.isEmpty).toBe(true);
    expect(calls.take()).toEqual([]);
  });

  it('keeps other arguments, results and objects apart', () => {
    const calls = log();
    calls.add(read, { args: 'a', objectId: 'p1.a1' });
    calls.add(read, { args: 'a', objectId: 'p1.a2' });
    calls.add(read, { args: 'b', objectId: 'p1.a1' });
    calls.add({ ...read, result: 1 }, { args: 'a', objectId: 'p1.a1' });
    expect(calls.take().map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  });

  it('folds repeating calls that alternate, and no others', () => {
    const calls = log();
    for (let round = 0; round < 3; round++) {
      calls.add(read, { args: 'a' });
      calls.add(query, { args: 'e' });
    }
    expect(brief(calls.take())).toEqual(['cuMemcpyDtoH_v2 a × 3', 'cuEventQuery e × 3']);
    for (let round = 0; round < 2; round++) {
      calls.add(open, { args: 'a' });
      calls.add(closing, { args: 'a' });
    }
    expect(brief(calls.take())).toEqual([
      'cuIpcOpenMemHandle_v2 a × 1',
      'cuIpcCloseMemHandle a × 1',
      'cuIpcOpenMemHandle_v2 a × 1',
      'cuIpcCloseMemHandle a × 1',
    ]);
  });

  it('does not fold across a call that changes something', () => {
    const calls = log();
    calls.add(read, { args: 'a' });
    calls.add(open, { args: 'a' });
    calls.add(read, { args: 'a' });
    expect(calls.take().map(({ name }) => name)).toEqual([read.name, open.name, read.name]);
  });
});

describe('what is new', () => {
  it('is a call that was not sent before, not its repetition', () => {
    const calls = log();
    calls.add(read, { args: 'a' });
    expect(calls.hasNew).toBe(true);
    calls.take();
    calls.add(read, { args: 'a' });
    expect(calls.hasNew).toBe(false);
    expect(calls.isEmpty).toBe(false);
    calls.add(read, { args: 'b' });
    expect(calls.hasNew).toBe(true);
  });
});

it('writes arguments that depend on the result', () => {
  const calls = log();
  const note = { args: (result: number) => (result === 0 ? 'a → reference 2' : 'a') };
  calls.add(open, note);
  calls.add({ ...open, result: 201 }, note);
  expect(calls.take().map(({ args }) => args)).toEqual(['a → reference 2', 'a']);
});
