/**
 * The bindings in several threads of one process: the Inspector's host is a worker thread, and the driver's current
 * context belongs to a thread.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Context, type CudaCalls, type DevicePtr, NO_CONTEXT } from '../cuda/index';
import { bundle } from './bundle';
import type { Answer, Commands } from './protocol';
import { bundled, driverLibrary } from './setting';

type Functions = CudaCalls & Commands;

let id = 0;
const threads: Worker[] = [];

function startThread() {
  const worker = new Worker(bundled('thread'), { workerData: driverLibrary() });
  threads.push(worker);
  return async <N extends keyof Functions>(call: N, ...args: Parameters<Functions[N]>): Promise<Answer> => {
    const answered = once(worker, 'message');
    worker.postMessage({ id: ++id, call, args });
    const [answer] = await answered;
    return answer;
  };
}

beforeAll(() => bundle('thread'));
afterEach(async () => {
  await Promise.all(threads.splice(0).map((worker) => worker.terminate()));
});

describe('threads', () => {
  it('each have a current context of their own, and share memory', async () => {
    const [one, two] = [startThread(), startThread()];
    await one('init');
    const device = (await one('deviceGet', 0)).value as Parameters<CudaCalls['devicePrimaryCtxRetain']>[0];
    const context = (await one('devicePrimaryCtxRetain', device)).value as Context;
    await one('ctxSetCurrent', context);
    expect((await one('ctxGetCurrent')).value).toBe(context);
    expect((await two('ctxGetCurrent')).value).toBe(NO_CONTEXT);
    expect((await two('memAlloc', 4096)).result).toBe('CUDA_ERROR_INVALID_CONTEXT');

    const pointer = (await one('memAlloc', 4096)).value as DevicePtr;
    await one('memsetD8', pointer, 0x5a, 4096);
    await two('ctxSetCurrent', context);
    expect((await two('read', pointer, 4096)).value).toEqual(new Uint8Array(4096).fill(0x5a));
    await one('memFree', pointer);
    await one('devicePrimaryCtxRelease', device);
  });

  it('make calls at the same time without mixing up their outputs', async () => {
    const workers = [startThread(), startThread(), startThread()];
    for (const call of workers) {
      await call('init');
      const device = (await call('deviceGet', 0)).value as Parameters<CudaCalls['devicePrimaryCtxRetain']>[0];
      await call('ctxSetCurrent', (await call('devicePrimaryCtxRetain', device)).value as Context);
    }
    const pointers = await Promise.all(
      workers.map(async (call) => {
        const own: DevicePtr[] = [];
        for (let i = 0; i < 50; i++) own.push((await call('memAlloc', 4096)).value as DevicePtr);
        return own;
      }),
    );
    expect(new Set(pointers.flat()).size).toBe(150);
    const results = await Promise.all(
      workers.map(async (call, index) => {
        const answers = [];
        for (const pointer of pointers[index] ?? []) answers.push((await call('memFree', pointer)).result);
        return answers;
      }),
    );
    expect(new Set(results.flat())).toEqual(new Set(['CUDA_SUCCESS']));
  });

  it('go on when another one ends', async () => {
    const leaving = startThread();
    await leaving('init');
    await threads[0]?.terminate();
    const staying = startThread();
    expect((await staying('init')).result).toBe('CUDA_SUCCESS');
    expect((await staying('deviceGetCount')).result).toBe('CUDA_SUCCESS');
  });
});
