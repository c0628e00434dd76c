import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostHere, type TestHost } from '#host/testing/test-host';
import { isOpen } from '#native/posix/libc';
import { Ledger } from '../ledger/ledger';
import { closeLeftDescriptors } from './left-descriptors';

let host: TestHost;
const ledger = new Ledger({ deliver: () => {} });
beforeAll(async () => {
  host = hostHere('p1');
  expect((await host.init()).kind).toBe('ready');
  ledger.addPeer({
    id: 'p1',
    role: 'inspector',
    name: 'Inspector',
    pid: process.pid,
    device: null,
    state: 'alive',
    startedAt: 0,
  });
});
// The host is not shut down: here it stands for one that is gone, whose numbers are other files by then.
afterAll(() => ledger.stop());

const report = (id: string) => ledger.apply('p1', [{ table: 'exports', put: host.record('exports', id) }], []);

describe('descriptors of a thread that is gone', () => {
  it('are closed, each by what it is and not by its number alone', async () => {
    const range = await host.value('buffers.create', { device: 0, bytes: 1, memory: 'virtual' });
    const ofPool = await host.value('buffers.create', { device: 0, bytes: 1, memory: 'pool' });
    const made = await host.value('buffers.export', { id: range.id });
    const { poolExportId = '' } = host.record('exports', (await host.value('buffers.export', { id: ofPool.id })).id);
    report(made.id);
    report(poolExportId);
    const fds = [...made.fds, ...(host.record('exports', poolExportId).descriptors ?? []).map(({ fd }) => fd)];
    expect(fds).toHaveLength(2);
    const other = openSync('/dev/null', 'r');
    const record = { ...host.record('exports', made.id), id: 'p1.x99', descriptors: [{ fd: other, bytes: null }] };
    ledger.apply('p1', [{ table: 'exports', put: record }], []);

    closeLeftDescriptors(ledger, 'p2');
    expect(fds.map(isOpen)).toEqual([true, true]);
    closeLeftDescriptors(ledger, 'p1');
    expect(fds.map(isOpen)).toEqual([false, false]);
    expect(isOpen(other)).toBe(true);
    closeSync(other);
    // Once more does no harm.
    closeLeftDescriptors(ledger, 'p1');
  });
});
