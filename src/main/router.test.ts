import fc from 'fast-check';
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CallName, calls } from '#contract/calls';
import type { HostInit } from '#contract/host-protocol';
import { GpuIpcError, ipcErrorSchema, ok, type Result } from '#contract/result';
import type { Role } from '#contract/values';
import { DriverHost, nobody } from './hosts/driver-host';
import { type MainHandlers, Router } from './router';
import { FakeTransport } from './testing/fake-transport';
import { windowRecord } from './testing/window-record';

const init: HostInit = { kind: 'init', peerId: 'p2', role: 'producer', driver: 'simulator', simulatorPath: '/sim.so' };
const names = Object.keys(calls) as CallName[];

let transport: FakeTransport;
let reached: string[];
let router: Router;
let running: DriverHost | undefined;

const windowOf = (role: Role) => windowRecord(role, 'p2');

/** Handlers that note that they were reached. */
const handlers = new Proxy({} as MainHandlers, {
  get: (_target, name: string) => () => {
    reached.push(name);
    if (name === 'demo.play') throw new GpuIpcError({ code: 'host-lost', message: 'gone' });
    if (name === 'demo.focus') throw new Error('a defect');
    return undefined;
  },
});

beforeEach(() => {
  reached = [];
  transport = new FakeTransport();
  running = new DriverHost(transport, init, { ...nobody, ready() {} });
  transport.isReady();
  router = new Router({ handlers, host: () => running });
});

const answer = (name: CallName, args: unknown, role: Role = 'inspector') => router.answer(name, windowOf(role), args);

describe('who may', () => {
  it('refuses every call to every role that the contract does not name, before looking at anything else', async () => {
    for (const name of names) {
      for (const role of ['inspector', 'producer', 'consumer'] as const) {
        if ((calls[name].roles as readonly Role[]).includes(role)) continue;
        expect(await answer(name, Symbol('not even looked at'), role)).toMatchObject({
          ok: false,
          error: { code: 'not-allowed' },
        });
      }
    }
    expect(reached).toEqual([]);
    expect(transport.requests).toEqual([]);
  });
});

describe('arguments', () => {
  it('names the place and the problem', async () => {
    const message = async (name: CallName, args: unknown) => {
      const result = (await answer(name, args)) as Extract<Result<unknown>, { ok: false }>;
      expect(result.error.code).toBe('invalid-argument');
      return result.error.message;
    };
    expect(await message('buffers.create', { device: 0, bytes: 0 })).toBe('bytes: the size must be at least 1 byte');
    expect(await message('buffers.create', { device: 0, bytes: 2 ** 60 })).toMatch(/^bytes: /);
    expect(await message('buffers.create', { device: 0, bytes: 1, fill: { pattern: 'constant' } })).toMatch(
      /^fill\.value: /,
    );
    expect(await message('memory.read', { id: 'p1.a1', offset: 0, length: 64 * 2 ** 20 + 1 })).toBe(
      'length: at most 64 MiB in one read',
    );
    expect(await message('memory.read', { id: 'p1.a1', offset: -1, length: 1 })).toMatch(/^offset: /);
    expect(await message('imports.open', { handle: new Uint8Array(63), device: 0 })).toBe(
      'handle: a handle has 64 bytes',
    );
    const shape = Array.from({ length: 33 }, () => 1);
    expect(await message('contents.save', { id: 'p1.a1', as: 'npy', shape })).toBe('shape: at most 32 dimensions');
    expect(await message('imports.open', { device: 0 })).toBe('give a handle, an exportId or a descriptor');
    expect(await message('app.info', null)).toBe('Expected Object but received null');
    expect(await message('buffers.free', { id: 'p1.a1', more: 1 })).toMatch(/^more: /);
  });

  it('refuses binary data in the place of an object at once, however much it is', async () => {
    const bytes = new Uint8Array(64 * 1024 * 1024);
    const began = performance.now();
    for (const name of names) {
      const role = calls[name].roles[0] as Role;
      expect(await answer(name, bytes, role)).toMatchObject({ ok: false, error: { code: 'invalid-argument' } });
    }
    expect(await answer('settings.set', { layout: bytes })).toMatchObject({
      ok: false,
      error: { code: 'invalid-argument', message: 'layout: settings.set takes no binary data there.' },
    });
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(reached).toEqual([]);
  });

  it('lets nothing through that the contract does not describe, whatever is thrown at it', async () => {
    const anything = fc.anything({ withTypedArray: true, withBigInt: true, withDate: true, withNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), anything, async (name, args) => {
        if (v.safeParse(calls[name].args, args).success) return;
        reached = [];
        const before = transport.requests.length;
        const result = await answer(name, args, calls[name].roles[0]);
        expect(result).toMatchObject({ ok: false, error: { code: 'invalid-argument' } });
        expect(reached).toEqual([]);
        expect(transport.requests).toHaveLength(before);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('answering', () => {
  it('takes each call where the contract says', async () => {
    await answer('app.info', undefined);
    expect(reached).toEqual(['app.info']);
    const asked = answer('events.query', { id: 'p2.e1' });
    expect(transport.requests.at(-1)).toMatchObject({ name: 'events.query', args: { id: 'p2.e1' } });
    transport.answers(ok('ready'));
    expect(await asked).toEqual(ok('ready'));
  });

  it('answers host-lost when the process of the window is gone', async () => {
    running = undefined;
    expect(await answer('devices.list', undefined)).toMatchObject({ ok: false, error: { code: 'host-lost' } });
  });

  it('turns whatever a handler throws into a typed error', async () => {
    expect(await answer('demo.play', undefined)).toEqual({ ok: false, error: { code: 'host-lost', message: 'gone' } });
    const defect = (await answer('demo.focus', { peerId: 'p2' })) as Extract<Result<unknown>, { ok: false }>;
    expect(v.parse(ipcErrorSchema, defect.error)).toEqual({ code: 'internal', message: 'a defect' });
  });

  it('finds a result that is not what the contract says, where tests ask for it', async () => {
    const strict = new Router({ handlers, host: () => running, checkResults: true });
    const asked = strict.answer('events.query', windowOf('inspector'), { id: 'p2.e1' });
    transport.answers(ok('perhaps'));
    expect(await asked).toMatchObject({ ok: false, error: { code: 'internal' } });
  });
});
