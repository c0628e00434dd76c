import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckedArgs } from '#contract/calls';
import { parseDescriptor, printDescriptor } from '#contract/descriptor';
import type { Peer } from '#contract/records';
import { type ChildHost, hostElsewhere, prepareChildHosts } from '#host/testing/child-host';
import { describeExport, exportNamed } from './describe';
import { Asking } from './handlers/asking';
import { Opening } from './handlers/opening';
import type { Services } from './handlers/services';
import type { DriverHost } from './hosts/driver-host';
import { ImportCheck } from './import-check';
import { Ledger } from './ledger/ledger';
import { OutsideExporters } from './ledger/outside';
import type { WindowRecord } from './windows/registry';

prepareChildHosts();

const KiB = 1024;
/** Two processes with their ledger, as main joins them. */
const ledger = new Ledger({ deliver: () => {} });
const hosts = new Map<string, ChildHost>();
let check: ImportCheck;
let opening: Opening;
let uuid = '';

async function start(id: string, role: Peer['role'], name: string): Promise<void> {
  const host = await hostElsewhere(id);
  hosts.set(id, host);
  ledger.addPeer({ id, role, name, pid: host.pid, device: 0, state: 'alive', startedAt: 0 });
  const feed = () => {
    for (const message of host.messages.splice(0)) {
      if (message.kind === 'ledger') ledger.apply(id, message.changes, message.calls);
    }
  };
  host.child.on('message', feed);
  feed();
}

const window = (peerId: string, role: Peer['role']): WindowRecord =>
  ({ role, name: peerId, peerId: () => peerId }) as unknown as WindowRecord;
const consumer = window('p2', 'consumer');
const producer = window('p1', 'producer');

beforeAll(async () => {
  await start('p1', 'producer', 'Producer 1');
  await start('p2', 'consumer', 'Consumer 1');
  const requests = (id: string) => {
    const host = hosts.get(id);
    return host && { request: (name: never, args: never) => host.call(name, args) };
  };
  const supervisor = { host: (id: string) => requests(id) as unknown as DriverHost | undefined };
  const services = { ledger, supervisor, outside: new OutsideExporters(ledger) } as unknown as Services;
  const asking = new Asking(services);
  opening = new Opening(services, asking);
  uuid = (await owner().value('devices.list', {}))[0]?.uuid ?? '';
  check = new ImportCheck(services, asking, opening);
});
afterAll(async () => {
  for (const host of hosts.values()) await host.shutdown();
  ledger.stop();
});

const owner = (): ChildHost => hosts.get('p1') as ChildHost;

async function exported(memory: 'device' | 'pool' | 'virtual', bytes = 8 * KiB) {
  const { id } = await owner().value('buffers.create', { device: 0, bytes, memory, label: memory });
  const made = await owner().value('buffers.export', { id });
  return { id, exportId: made.id, handle: made.handle };
}

const codes = async (args: CheckedArgs<'handles.check'>, caller = consumer) =>
  (await check.findings(args, caller)).map(({ level, code }) => `${level} ${code}`);

const described = (exportId: string): string =>
  printDescriptor(describeExport(ledger, exportNamed(ledger, exportId), uuid));

describe('what is known before an import', () => {
  it.each(['device', 'pool', 'virtual'] as const)(
    'of a live export of %s memory is nothing against it',
    async (memory) => {
      const { id, exportId, handle } = await exported(memory);
      expect(await codes({ exportId, device: 0 })).toEqual([]);
      expect(await codes({ descriptor: described(exportId), device: 0 })).toEqual([]);
      if (handle !== null && memory === 'device') expect(await codes({ handle, device: 0 })).toEqual([]);
      if (handle !== null && memory === 'pool') expect(await codes({ handle, device: 0 })).toEqual(['warn needs-pool']);
      await owner().value('buffers.free', { id });
      const ended = await codes({ exportId });
      expect(ended).toEqual(['refuse export-freed']);
    },
  );

  it('is that a process cannot open its own', async () => {
    const { exportId, handle } = await exported('device');
    expect(await codes({ exportId }, producer)).toEqual(['refuse own-process']);
    expect(await codes({ handle: handle ?? '' }, producer)).toEqual(['refuse own-process']);
    expect(await codes({ exportId: (await exported('virtual')).exportId }, producer)).toEqual([]);
  });

  it('is how often it is open, and that a part lies in it', async () => {
    const { exportId } = await exported('device');
    await opening.open({ exportId, device: 0 }, consumer);
    await opening.open({ exportId, device: 0 }, consumer);
    expect(await check.findings({ exportId }, consumer)).toMatchObject([
      { level: 'info', code: 'already-open', message: expect.stringMatching(/twice/) },
    ]);
    expect(await codes({ exportId, offset: 8 * KiB - 1, length: 2 })).toEqual([
      'refuse beyond-allocation',
      'info already-open',
    ]);
  });

  it('is whether bytes are a handle, and of what', async () => {
    expect(await codes({ handle: new Uint8Array(64) })).toContain('refuse zero-bytes');
    expect(await codes({ handle: 'no handle' })).toEqual(['refuse no-handle']);
    expect(await codes({ descriptor: '{}' })).toEqual(['refuse no-descriptor']);
    const event = await owner().value('events.create', { device: 0 });
    const { handle, id: exportId } = await owner().value('events.export', { id: event.id });
    expect(await codes({ handle })).toContain('refuse event-as-memory');
    expect(await codes({ handle, as: 'event' })).toEqual([]);
    expect(await codes({ exportId })).toEqual([]);
    expect(await codes({ exportId, as: 'memory' })).toContain('refuse event-as-memory');
    const damaged = (await exported('device')).handle?.slice() ?? new Uint8Array(64);
    damaged[31] = 1;
    expect(await codes({ handle: damaged })).toContain('refuse out-of-block');
  });

  it('is what a descriptor of elsewhere says', async () => {
    const { exportId } = await exported('virtual');
    const reading = parseDescriptor(described(exportId));
    if (!reading.ok) throw new Error('no descriptor');
    const { descriptor } = reading;
    const with_ = (changes: object) => codes({ descriptor: JSON.stringify({ ...descriptor, ...changes }), device: 0 });
    const { pidNamespace: _, ...exporter } = descriptor.exporter;
    expect(await with_({ exporter: { ...exporter, pid: 0x7ffffffe } })).toEqual(['refuse exporter-gone']);
    const elsewhere = { pid: 1, pidNamespace: 'pid:[1]' };
    expect(await with_({ exporter: elsewhere })).toEqual(['warn other-pid-namespace']);
    const other = { uuid: 'GPU-00000000-0000-0000-0000-00000000000f' };
    expect(await with_({ device: other })).toEqual(['refuse device-unknown']);
  });

  it('is that descriptors were closed', async () => {
    const { exportId } = await exported('virtual');
    await owner().value('descriptors.close', { exportId });
    expect(await codes({ exportId })).toEqual(['refuse export-closed']);
  });

  it('is that the exporter was killed', async () => {
    await start('p3', 'producer', 'Producer 2');
    const doomed = hosts.get('p3') as ChildHost;
    const { id } = await doomed.value('buffers.create', { device: 0, bytes: KiB });
    const { id: exportId, handle } = await doomed.value('buffers.export', { id });
    await doomed.kill();
    hosts.delete('p3');
    ledger.endPeer('p3', 'lost', 'SIGKILL');
    expect(await codes({ exportId })).toEqual(['refuse export-gone']);
    expect(await codes({ handle: handle ?? '' })).toEqual(['refuse export-gone']);
  });

  it('wants one thing to look at', async () => {
    await expect(check.findings({}, consumer)).rejects.toMatchObject({ error: { code: 'invalid-argument' } });
    await expect(check.findings({ exportId: 'p9.x9' }, consumer)).rejects.toMatchObject({
      error: { code: 'not-found' },
    });
  });
});
