import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HostInit } from '#contract/host-protocol';
import { ok } from '#contract/result';
import { FakeTransport } from '../testing/fake-transport';
import { DriverHost, type Hanging, type HostListener } from './driver-host';

const init: HostInit = { kind: 'init', peerId: 'p2', role: 'producer', driver: 'simulator', simulatorPath: '/sim.so' };

let transport: FakeTransport;
let host: DriverHost;
let seen: string[];
let hanging: Hanging | undefined;
let sent: Promise<void> | undefined;

const listener: HostListener = {
  ready: (pid) => seen.push(`ready ${pid}`),
  ledger: (changes) => seen.push(`ledger ${changes.length}`),
  answering: () => {
    seen.push('answering');
    return sent;
  },
  hanging: (next) => {
    hanging = next;
  },
  progress: ({ job, done, total }) => seen.push(`progress ${job} ${done}/${total}`),
  failed: (error) => seen.push(`failed ${error.code}`),
  contextLost: (error) => seen.push(`context lost ${error.code}`),
  ended: (ending) => seen.push(`ended ${ending.words}`),
};

beforeEach(() => {
  vi.useFakeTimers();
  seen = [];
  hanging = undefined;
  sent = undefined;
  transport = new FakeTransport();
  host = new DriverHost(transport, init, listener);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('work on whole contents', () => {
  it('is told of, and may last without being taken for a call that hangs', async () => {
    transport.isReady();
    void host.request('contents.snapshot', { id: 'p2.a1', name: 'long', job: 'one' });
    transport.says({ kind: 'progress', job: 'one', done: 5, total: 10 });
    expect(seen).toEqual(['ready 4711', 'progress one 5/10']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(hanging).toBeUndefined();
    // The driver call that it is in may hang all the same.
    transport.says({ kind: 'calling', call: 'cuMemHostRegister_v2', at: Date.now() });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(hanging).toMatchObject({ call: 'cuMemHostRegister_v2' });
  });
});

describe('requests', () => {
  it('sends init first and gives each answer to the one who asked', async () => {
    const a = host.request('events.query', { id: 'p2.e1' });
    const b = host.request('events.query', { id: 'p2.e2' });
    expect(transport.told[0]).toBe(init);
    transport.isReady();
    transport.answers(ok('ready'));
    transport.answers(ok('not-ready'), 1);
    expect([await a, await b]).toEqual([ok('not-ready'), ok('ready')]);
  });

  it('hands records over before the answer that they belong to', async () => {
    transport.isReady();
    const asked = host.request('events.query', { id: 'p2.e1' }).then(() => seen.push('answered'));
    transport.says({ kind: 'ledger', changes: [], calls: [] });
    transport.answers(ok('ready'));
    await asked;
    expect(seen).toEqual(['ready 4711', 'ledger 0', 'answering', 'answered']);
  });

  it('holds an answer back until what belongs to it has been sent', async () => {
    transport.isReady();
    let release = () => {};
    sent = new Promise((resolve) => {
      release = resolve;
    });
    let answered = false;
    const asked = host.request('events.query', { id: 'p2.e1' }).then(() => {
      answered = true;
    });
    transport.answers(ok('ready'));
    await vi.advanceTimersByTimeAsync(10);
    expect(answered).toBe(false);
    release();
    await asked;
    expect(answered).toBe(true);
  });

  it('answers host-lost to all who wait when the process goes, and to all who ask later', async () => {
    transport.isReady();
    const waiting = host.request('events.query', { id: 'p2.e1' });
    transport.ends({ state: 'lost', words: 'SIGKILL' });
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'host-lost' } });
    expect(await host.request('devices.list', {})).toMatchObject({ ok: false, error: { code: 'host-lost' } });
    expect(transport.requests).toHaveLength(1);
    expect(seen.at(-1)).toBe('ended SIGKILL');
  });

  it('answers the reason to everybody when there is no driver', async () => {
    const before = host.request('devices.list', {});
    transport.says({ kind: 'failed', error: { code: 'no-driver', message: 'libcuda.so.1 was not found.' } });
    expect(await before).toMatchObject({ error: { code: 'no-driver' } });
    expect(await host.request('devices.list', {})).toMatchObject({ error: { code: 'no-driver' } });
    await expect(host.ready()).rejects.toMatchObject({ error: { code: 'no-driver' } });
    expect(seen).toEqual(['failed no-driver']);
  });

  it('ignores an answer to a question that nobody asked', () => {
    expect(() => transport.says({ kind: 'answer', id: 99, result: ok(1) })).not.toThrow();
  });
});

describe('hanging', () => {
  it('says after two seconds which driver function a request is in, and when it returns', async () => {
    transport.isReady();
    const asked = host.request('memory.read', { id: 'p2.a1', offset: 0, length: 1 });
    vi.advanceTimersByTime(1_500);
    expect(hanging).toBeUndefined();
    vi.advanceTimersByTime(1_000);
    expect(hanging).toMatchObject({ call: 'cuMemcpyDtoH_v2' });
    transport.answers(ok({ bytes: new Uint8Array(1), takenAt: 0 }));
    expect(hanging).toBeUndefined();
    await asked;
  });

  it('believes the host where it named the function', () => {
    transport.isReady();
    void host.request('buffers.create', { device: 0, bytes: 1 });
    transport.says({ kind: 'calling', call: 'cuDevicePrimaryCtxRetain', at: Date.now() });
    vi.advanceTimersByTime(3_000);
    expect(hanging).toMatchObject({ call: 'cuDevicePrimaryCtxRetain' });
  });

  it('notices a call that nobody asked for, as one of an animation', () => {
    transport.isReady();
    transport.says({ kind: 'calling', call: 'cuMemcpyHtoD_v2', at: Date.now() });
    vi.advanceTimersByTime(3_000);
    expect(hanging).toMatchObject({ call: 'cuMemcpyHtoD_v2' });
  });

  it('does not take a long queue for a hanging call', async () => {
    transport.isReady();
    for (let n = 0; n < 50; n += 1) void host.request('events.query', { id: 'p2.e1' });
    for (let n = 49; n >= 0; n -= 1) {
      vi.advanceTimersByTime(100);
      transport.answers(ok('ready'), n);
      expect(hanging).toBeUndefined();
    }
  });

  it('does not take a wait for an event for one', () => {
    transport.isReady();
    void host.request('events.wait', { id: 'p2.e1', timeoutMs: 60_000 });
    vi.advanceTimersByTime(30_000);
    expect(hanging).toBeUndefined();
  });

  it('notices a driver that never initialises', () => {
    vi.advanceTimersByTime(3_000);
    expect(hanging).toMatchObject({ call: 'cuInit' });
  });
});

describe('ending', () => {
  it('asks, and is done when the host has gone', async () => {
    transport.isReady();
    expect(await host.shutdown()).toBe(true);
    expect(transport.told.at(-1)).toEqual({ kind: 'shutdown' });
    expect(transport.killed).toBe(0);
  });

  it('ends a host by force that does not end in two seconds', async () => {
    transport.obeys = false;
    const shutdown = host.shutdown();
    await vi.advanceTimersByTimeAsync(1_900);
    expect(transport.killed).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(await shutdown).toBe(true);
    expect(transport.killed).toBe(1);
  });

  it('says so when even force does not help', async () => {
    transport.obeys = false;
    transport.onKill = 'nothing';
    const shutdown = host.shutdown();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await shutdown).toBe(false);
  });

  it('sends nothing to a host that is gone', async () => {
    transport.ends({ state: 'exited', words: 'exit code 0' });
    expect(await host.shutdown()).toBe(true);
    expect(transport.told).toEqual([init]);
  });
});
