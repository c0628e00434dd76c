/**
 * Sharing with programs that were not written for the app, both ways: a Python process that calls the driver's library
 * through ctypes (simulated or real GPU), and on a real GPU CuPy and PyTorch.
 */
import { exportHandle } from './harness/api';
import { Peer, pythonHas } from './harness/peer';
import { expect, realDriver, screenshot, test } from './harness/test';

const SIZE = 1 << 20;
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');

interface Program {
  readonly name: string;
  readonly start: (library: string) => Promise<Peer>;
  readonly needs: string;
  readonly realOnly: boolean;
  /** PyTorch cannot open a handle without its own protocol around it. */
  readonly opens: boolean;
}

const programs: Program[] = [
  {
    name: 'ctypes',
    start: (library) => Peer.start('ctypes_peer.py', library),
    needs: 'ctypes',
    realOnly: false,
    opens: true,
  },
  { name: 'CuPy', start: () => Peer.start('cupy_peer.py'), needs: 'cupy', realOnly: true, opens: true },
  { name: 'PyTorch', start: () => Peer.start('torch_peer.py'), needs: 'torch', realOnly: true, opens: false },
];

for (const program of programs) {
  test.describe(`${program.name} @interop`, () => {
    test.skip(program.realOnly && !realDriver, `${program.name} needs a real GPU`);
    test.skip(() => !pythonHas(program.needs), `python3 with ${program.needs} is not installed here`);
    test.setTimeout(180_000);

    test('exports: the app shows the same bytes, and its writes arrive there', async ({ gpu, inspector }) => {
      const { driver } = await gpu.app.info.value();
      const peer = await program.start(driver.path);
      try {
        const shared = await peer.ask('alloc', { size: SIZE });
        await peer.ask('write', { offset: 0, hex: hex(new TextEncoder().encode(`from ${program.name}`)) });
        await peer.ask('write', { offset: 4096, hex: 'deadbeef' });
        const opened = await gpu.imports.open.value({
          handle: shared.handle,
          device: 0,
          label: `from ${program.name}`,
          ...(shared.offset !== undefined && { offset: shared.offset, length: shared.size }),
        });
        expect(opened).toMatchObject({ references: 1, state: 'open', exporter: 'alive' });
        expect(opened.bytes).toBeGreaterThanOrEqual(SIZE);
        for (const [offset, length] of [
          [0, 64],
          [4090, 16],
          [SIZE - 16, 16],
        ] as const) {
          const mine = await gpu.memory.read.value({ id: opened.id, offset, length });
          expect(hex(mine.bytes)).toBe((await peer.ask('read', { offset, length })).hex);
        }
        const mapping = (await gpu.ledger.snapshot.value()).mappings.find((record) => record.id === opened.id);
        const outside = (await gpu.ledger.snapshot.value()).peers.find((each) => each.id === mapping?.exporterPeerId);
        expect(outside).toMatchObject({ role: 'outside', pid: peer.pid, state: 'alive' });

        await gpu.buffers.write.value({ id: opened.id, offset: 4097, bytes: bytes('c0ffee') });
        expect((await peer.ask('read', { offset: 4096, length: 5 })).hex).toBe('dec0ffee00');

        await inspector.getByRole('grid', { name: 'Handles' }).getByText(`from ${program.name}`).first().click();
        // What the window shows: f r o m.
        await expect(inspector.getByRole('grid', { name: 'Bytes' })).toContainText(/66\s*72\s*6f\s*6d/);
        await screenshot(inspector, `interop-${program.name.toLowerCase()}`);

        // The bytes stay when the exporter is killed, and the app says so.
        await peer.stop('SIGKILL');
        const exporter = async () =>
          (await gpu.ledger.snapshot.value()).mappings.find((record) => record.id === opened.id)?.exporter;
        await expect.poll(exporter, { timeout: 10_000 }).toBe('gone');
        const left = await gpu.memory.read.value({ id: opened.id, offset: 4096, length: 5 });
        expect(hex(left.bytes)).toBe('dec0ffee00');
        await gpu.imports.close.value({ id: opened.id });
      } finally {
        await peer.stop('SIGKILL');
      }
    });

    if (!program.opens) return;

    test('opens what the app made', async ({ gpu }) => {
      const { driver } = await gpu.app.info.value();
      const peer = await program.start(driver.path);
      try {
        const buffer = await gpu.buffers.create.value({ device: 0, bytes: SIZE, fill: { pattern: 'random', seed: 3 } });
        const exported = await exportHandle(gpu, { id: buffer.id });
        await peer.ask('open', { handle: hex(exported.handle), size: SIZE });
        const mine = await gpu.memory.read.value({ id: buffer.id, offset: 1000, length: 256 });
        expect((await peer.ask('read', { offset: 1000, length: 256 })).hex).toBe(hex(mine.bytes));
        await peer.ask('write', { offset: 1000, hex: '0badcafe' });
        const changed = await gpu.memory.read.value({ id: buffer.id, offset: 1000, length: 4 });
        expect(hex(changed.bytes)).toBe('0badcafe');
        await peer.ask('close', {});
        await gpu.buffers.free.value({ id: buffer.id });
      } finally {
        await peer.stop();
      }
    });

    test('shares events with the app, both ways', async ({ app, gpu }) => {
      const { driver } = await gpu.app.info.value();
      const peer = await program.start(driver.path);
      try {
        const theirs = await peer.ask('exportEvent', {});
        const opened = await gpu.events.open.value({ handle: theirs.handle, device: 0 });
        await peer.ask('recordEvent', {});
        expect(await gpu.events.wait.value({ id: opened.id, timeoutMs: 5000 })).toBe('ready');
        await gpu.events.destroy.value({ id: opened.id });

        const producer = await app.open('producer');
        const event = await producer.api.events.create.value({ device: 0 });
        const exported = await producer.api.events.export.value({ id: event.id });
        await producer.api.events.record.value({ id: event.id, afterMs: 1500 });
        await peer.ask('openEvent', { handle: hex(exported.handle) });
        const NOT_READY = 600;
        expect((await peer.ask('queryEvent', {})).result).toBe(NOT_READY);
        await expect.poll(async () => (await peer.ask('queryEvent', {})).result, { timeout: 10_000 }).toBe(0);
      } finally {
        await peer.stop();
      }
    });
  });
}
