import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostHere, type TestHost } from './testing/test-host';

let host: TestHost;
beforeAll(async () => {
  host = hostHere();
  expect((await host.init()).kind).toBe('ready');
});
afterAll(() => host.shutdown());

describe('anatomy', () => {
  it('decodes a memory handle after checking the layout on own ones, and leaves nothing behind', async () => {
    const { id } = await host.value('buffers.create', { device: 0, bytes: 8192 });
    const handle = await host.handle(id);
    const anatomy = await host.value('handles.anatomy', { handle, kind: 'memory' });
    expect(anatomy).toMatchObject({ kind: 'memory', checked: true });
    expect(anatomy.note).toMatch(/not documented\. Checked against 4 handles of this app\.$/);
    const values = Object.fromEntries(anatomy.fields.map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({ pid: String(process.pid), 'size in bytes': '8,192' });
    for (const field of anatomy.fields) {
      if (field.kind === 'secret') expect([field.value, field.bytes]).toEqual([null, null]);
    }
    expect(host.table('allocations')).toHaveLength(1);
    const count = (name: string) =>
      host.calls.filter((call) => call.name === name).reduce((sum, { count }) => sum + count, 0);
    expect(count('cuMemAlloc_v2') - count('cuMemFree_v2')).toBe(1);
    expect(count('cuEventCreate')).toBe(count('cuEventDestroy_v2'));
  });

  it('decodes an event handle, also of unknown kind', async () => {
    const { id } = await host.value('events.create', { device: 0 });
    const { handle } = await host.value('events.export', { id });
    const anatomy = await host.value('handles.anatomy', { handle });
    expect(anatomy).toMatchObject({ kind: 'event', checked: true });
    expect(anatomy.fields[0]).toMatchObject({ name: 'pid', value: String(process.pid) });
  });

  it('keeps other bytes opaque, with the reason and without the bytes', async () => {
    for (const [kind, handle] of [
      [undefined, new Uint8Array(64).fill(7)],
      ['memory', new Uint8Array(64).fill(7)],
      ['event', new Uint8Array(64)],
    ] as const) {
      const anatomy = await host.value('handles.anatomy', { handle, kind });
      expect(anatomy).toMatchObject({ checked: false, kind: kind ?? 'unknown' });
      expect(anatomy.note).toMatch(/\.$/);
      expect(anatomy.fields).toEqual([
        { name: 'opaque', offset: 0, length: 64, value: null, kind: 'unknown', bytes: null },
      ]);
    }
  });
});
