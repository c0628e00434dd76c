import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();
// 4 GiB at once, so nobody else may use this simulated machine.
process.env.GPU_IPC_SIM_MACHINE = `large-${process.pid}`;

const GiB = 2 ** 30;
/** Zeros take no memory of the machine in the simulator. */
const refused = {
  code: 'unsupported',
  message: expect.stringMatching(/has 4\.00 GiB \(4,294,967,297 bytes\).*crash/),
  hint: expect.stringMatching(/virtual memory, or in pieces of at most 4 GiB/),
};

let importer: TestHost;
let exporter: ChildHost;
beforeAll(async () => {
  importer = hostHere('p1');
  expect((await importer.init()).kind).toBe('ready');
  exporter = await hostElsewhere('p2');
});
afterAll(async () => {
  await exporter.shutdown();
  await importer.shutdown();
});

async function exported(bytes: number) {
  const { id } = await exporter.value('buffers.create', { device: 0, bytes, memory: 'pool' });
  const { id: exportId, handle } = await exporter.value('buffers.export', { id });
  const { poolExportId = '' } = exporter.record('exports', exportId);
  return { id, exportId, handle: handle ?? new Uint8Array(64), poolExportId };
}

async function opening(made: Awaited<ReturnType<typeof exported>>, to: TestHost = importer) {
  const { name } = await exporter.value('descriptors.offer', { exportId: made.poolExportId, toPid: to.pid });
  return {
    handle: made.handle,
    source: { kind: 'offer', name },
    pool: { exportId: made.poolExportId, device: 0, usedOn: 0, label: 'their pool' },
    exportId: made.exportId,
    device: 0,
    label: 'large',
  } as const;
}

const asked = (host: TestHost) => host.calls.filter(({ name }) => name === 'cuMemPoolImportPointer').length;
const live = () => importer.table('pools').filter(({ state }) => state === 'live').length;

describe('memory of a pool', () => {
  it('of 4 GiB is imported', async () => {
    const made = await exported(4 * GiB);
    const { mechanisms } = await exporter.value('sharing.verdict', { id: made.id });
    expect(mechanisms).toContainEqual(expect.objectContaining({ mechanism: 'pool', possible: true }));
    const { id } = await importer.value('imports.openPool', await opening(made));
    expect(await importer.read(id, 4 * GiB - 1, 1)).toEqual(Uint8Array.of(0));
    await importer.value('imports.close', { id });
    await exporter.value('buffers.free', { id: made.id });
  });

  it('of more is refused before the driver sees the pointer', async () => {
    const made = await exported(4 * GiB + 1);
    const before = asked(importer);
    expect(await importer.error('imports.openPool', await opening(made))).toMatchObject(refused);
    expect(asked(importer)).toBe(before);
    // The pool that was imported for it is gone again.
    expect(live()).toBe(0);
    // In an own export the record says it, whatever the bytes are.
    const unlike = { ...(await opening(made, exporter)), handle: new Uint8Array(64).fill(7) };
    expect(await exporter.error('imports.openPool', unlike)).toMatchObject(refused);
    expect(asked(exporter)).toBe(0);
    await exporter.value('buffers.free', { id: made.id });
  });

  it('of more cannot be shared, as the verdict says and a trial answers', async () => {
    const made = await exported(4 * GiB + 1);
    const { mechanisms } = await exporter.value('sharing.verdict', { id: made.id });
    expect(mechanisms).toContainEqual({
      mechanism: 'pool',
      possible: false,
      why: refused.message,
      next: refused.hint,
    });
    const { address } = exporter.record('allocations', made.id);
    const byAddress = await exporter.value('sharing.verdict', { address });
    expect(byAddress.mechanisms.find(({ mechanism }) => mechanism === 'pool')?.possible).toBe(false);
    const before = asked(importer);
    const { token, offer } = await exporter.value('trial.export', { id: made.id, mechanism: 'pool' });
    if (offer === null) throw new Error('nothing was exported');
    const { name: socket } = await exporter.value('trial.offer', { token, toPid: importer.pid });
    const tried = await importer.value('trial.open', { offer, socket });
    expect(tried).toMatchObject({ token: null, error: refused });
    expect(tried.steps.find(({ ok }) => !ok)?.what).toBe('cuMemPoolImportPointer');
    expect(asked(importer)).toBe(before);
    await exporter.value('trial.end', { token });
    await exporter.value('buffers.free', { id: made.id });
  });
});
