import { afterEach, describe, expect, it, vi } from 'vitest';
import { GpuIpcError } from '#contract/result';
import type { LoadOptions } from '#native/cuda/index';

/** Calls that answer as a driver whose context was lost does. The simulator cannot lose one. */
const broken = vi.hoisted(() => new Map<string, number>());

vi.mock('#native/cuda/index', async (original) => {
  const native = await original<typeof import('#native/cuda/index')>();
  const failure = (call: string, result: number) =>
    new GpuIpcError({ code: 'driver-error', message: call, call, cuda: native.resultFromTable(result) });
  return {
    ...native,
    loadDriver: (options: LoadOptions) => {
      const loaded = native.loadDriver(options);
      const memcpyDtoH: typeof loaded.cuda.memcpyDtoH = (...args) => {
        const result = broken.get('cuMemcpyDtoH_v2');
        if (result === undefined) return loaded.cuda.memcpyDtoH(...args);
        options.observer?.('cuMemcpyDtoH_v2', [], result, 1);
        throw failure('cuMemcpyDtoH_v2', result);
      };
      const streamWaitValue32: typeof loaded.cuda.streamWaitValue32 = (...args) => {
        const result = broken.get('cuStreamWaitValue32_v2');
        if (result === undefined) return loaded.cuda.streamWaitValue32(...args);
        options.observer?.('cuStreamWaitValue32_v2', [], result, 1);
        throw failure('cuStreamWaitValue32_v2', result);
      };
      return { ...loaded, cuda: { ...loaded.cuda, memcpyDtoH, streamWaitValue32 } };
    },
  };
});

const { hostHere } = await import('./testing/test-host');

afterEach(() => broken.clear());

async function ready() {
  const host = hostHere();
  expect((await host.init()).kind).toBe('ready');
  return host;
}

describe('a lost context', () => {
  it('is told once, and every later call says so', async () => {
    const host = await ready();
    const { id } = await host.value('buffers.create', { device: 0, bytes: 64 });
    broken.set('cuMemcpyDtoH_v2', 700);
    const error = await host.error('memory.read', { id, offset: 0, length: 8 });
    expect(error).toMatchObject({ code: 'driver-error', cuda: { result: 700, name: 'CUDA_ERROR_ILLEGAL_ADDRESS' } });
    expect(error.hint).toMatch(/only a new process helps/);
    broken.clear();
    for (const answer of [
      await host.error('memory.read', { id, offset: 0, length: 8 }),
      await host.error('buffers.create', { device: 0, bytes: 64 }),
      await host.error('devices.list', {}),
    ]) {
      expect(answer).toMatchObject({ code: 'host-lost', message: expect.stringMatching(/ILLEGAL_ADDRESS 700/) });
    }
    const told = host.messages.filter(({ kind }) => kind === 'context-lost');
    expect(told).toMatchObject([{ error: { code: 'host-lost', call: 'cuMemcpyDtoH_v2', cuda: { result: 700 } } }]);
    await host.shutdown();
    expect(host.exited).toEqual([0]);
  });

  it('is not every failure', async () => {
    const host = await ready();
    const { id } = await host.value('buffers.create', { device: 0, bytes: 64 });
    broken.set('cuMemcpyDtoH_v2', 1);
    expect(await host.error('memory.read', { id, offset: 0, length: 8 })).toMatchObject({ cuda: { result: 1 } });
    broken.clear();
    expect(await host.read(id, 0, 8)).toHaveLength(8);
    expect(host.messages.filter(({ kind }) => kind === 'context-lost')).toEqual([]);
    await host.shutdown();
  });
});

describe('a driver whose streams cannot wait for memory', () => {
  it('records without a delay only', async () => {
    const host = await ready();
    const { id } = await host.value('events.create', { device: 0 });
    broken.set('cuStreamWaitValue32_v2', 801);
    expect(await host.error('events.record', { id, afterMs: 100 })).toMatchObject({ code: 'unsupported' });
    await host.value('events.record', { id, afterMs: 0 });
    expect(await host.value('events.wait', { id, timeoutMs: 1000 })).toBe('ready');
    const { id: buffer } = await host.value('buffers.create', { device: 0, bytes: 64 });
    await host.value('buffers.free', { id: buffer });
    await host.shutdown();
  });
});
