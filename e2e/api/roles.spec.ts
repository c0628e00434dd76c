/** Who may call what: every call of the contract from every kind of window, and from places that are no window. */
import { calls } from '#contract/calls';
import type { Role } from '#contract/values';
import { raw } from '../harness/api';
import { expect, test } from '../harness/test';

/** Arguments that fit the schema, so that only the role can be wrong. */
const good: Partial<Record<keyof typeof calls, object>> = {
  'buffers.create': { device: 0, bytes: 16 },
  'buffers.fill': { id: 'p1.a1', fill: { pattern: 'zero' } },
  'buffers.animate': { id: 'p1.a1', hz: 1 },
  'buffers.export': { id: 'p1.a1' },
  'buffers.free': { id: 'p1.a1' },
  'imports.open': { handle: new Uint8Array(64), device: 0 },
  'imports.close': { id: 'p1.m1' },
  'events.create': { device: 0 },
  'events.export': { id: 'p1.e1' },
  'events.open': { handle: new Uint8Array(64), device: 0 },
  'handles.reveal': { exportId: 'p1.x1' },
  'pools.create': { device: 0 },
  'pools.trim': { id: 'p1.q1' },
  'pools.export': { id: 'p1.q1' },
  'pools.import': { exportId: 'p1.x1', device: 0 },
  'virtual.create': { device: 0, bytes: 16 },
  'virtual.export': { id: 'p1.f1' },
  'virtual.import': { exportId: 'p1.x1', device: 0 },
  'fds.close': { exportId: 'p1.x1' },
  'fds.ofProcess': { pid: 1 },
  'demo.open': { role: 'producer', device: 0 },
  'demo.kill': { peerId: 'p1' },
  'demo.focus': { peerId: 'p1' },
};

test('calls that a role may not make answer not-allowed', async ({ app, inspector }) => {
  const windows: [Role, typeof inspector][] = [
    ['inspector', inspector],
    ['producer', (await app.open('producer')).page],
    ['consumer', (await app.open('consumer')).page],
  ];
  const refused = Object.fromEntries(windows.map(([role]) => [role, [] as string[]]));
  for (const [role, page] of windows) {
    for (const [name, { roles }] of Object.entries(calls)) {
      if ((roles as readonly Role[]).includes(role)) continue;
      const answer = await raw(page, name, good[name as keyof typeof calls] ?? {});
      expect(answer, `${name} from a ${role} window`).toMatchObject({ ok: false, error: { code: 'not-allowed' } });
      refused[role]?.push(name);
    }
  }
  // The same in words of the design, so that a wrong table is noticed too.
  expect(refused.inspector).toEqual(['demo.crash']);
  expect(refused.producer).toEqual(
    expect.arrayContaining([
      'imports.open',
      'imports.close',
      'events.open',
      'pools.import',
      'virtual.import',
      'fds.ofProcess',
      'sharing.try',
      'demo.open',
      'demo.kill',
    ]),
  );
  expect(refused.consumer).toEqual(
    expect.arrayContaining([
      'buffers.create',
      'buffers.fill',
      'buffers.export',
      'buffers.free',
      'events.create',
      'events.export',
      'handles.reveal',
      'pools.create',
      'pools.export',
      'virtual.create',
      'virtual.export',
      'fds.close',
      'demo.open',
      'demo.kill',
    ]),
  );
});

test('a frame inside a window has no API', async ({ app, inspector }) => {
  app.expectProblem(/frame-src|securitypolicyviolation|Content Security Policy/);
  const found = await inspector.evaluate(async () => {
    const frame = document.createElement('iframe');
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    document.body.append(frame);
    await loaded;
    const inside = frame.contentWindow as (Window & { gpuIpc?: unknown }) | null;
    const kind = typeof inside?.gpuIpc;
    frame.remove();
    return kind;
  });
  expect(found).toBe('undefined');
});

test('a page cannot reach Electron or Node', async ({ inspector }) => {
  const reachable = await inspector.evaluate(() =>
    ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'].filter((name) => name in globalThis),
  );
  expect(reachable).toEqual([]);
});
