/** As a person does it: what a program printed is pasted into the window, or its process and file descriptor are typed. */
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import type { Peer } from './harness/peer';
import { mayTake, type Program, printedSegments, programs, skipWithout, startProgram } from './harness/peer-programs';
import { expect, screenshot, test } from './harness/test';

const MIB = 2 ** 20;
const TEXT = 'shared';

async function importing(inspector: Page, from: 'Pasted text' | 'Another process'): Promise<Locator> {
  await inspector.getByRole('button', { name: 'Import handle', exact: true }).first().click();
  const form = inspector.getByRole('dialog', { name: 'Import handle' });
  await form.getByText(from, { exact: true }).click();
  return form;
}

async function openIt(form: Locator): Promise<void> {
  await form.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(form).toBeHidden();
}

const typed = (form: Locator, name: string): Locator => form.getByRole('textbox', { name });

async function say(peer: Peer, offset = 0): Promise<void> {
  await peer.ask('write', { offset, hex: Buffer.from(TEXT).toString('hex') });
}

/** The newest mapping is the peer's memory, from its beginning on; its row shows the bytes. */
async function expectTheirs(gpu: Api, inspector: Page, peer: Peer): Promise<void> {
  const { mappings, peers } = await gpu.ledger.snapshot.value();
  const [mapping] = mappings
    .filter(({ state }) => state === 'open')
    .sort((one, other) => other.openedAt - one.openedAt);
  if (mapping === undefined) throw new Error('nothing is open');
  expect(peers.find(({ id }) => id === mapping.exporterPeerId)).toMatchObject({ role: 'outside', pid: peer.pid });
  const { bytes } = await gpu.memory.read.value({ id: mapping.id, offset: 0, length: TEXT.length });
  expect(new TextDecoder().decode(bytes)).toBe(TEXT);
  await inspector.locator(`[data-row="${mapping.id}"]`).click();
  // s h a r e d
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toContainText(/73\s*68\s*61\s*72\s*65\s*64/);
  await gpu.buffers.write.value({ id: mapping.id, offset: 0, bytes: new TextEncoder().encode('S') });
  expect((await peer.ask('read', { offset: 0, length: 2 })).hex).toBe('5368');
}

/** A text of each, and whether it says where the data begin. */
const pastes: readonly { readonly program: Program; readonly token: string; readonly saysPlace: boolean }[] = [
  { program: programs.ctypes, token: 'f-string', saysPlace: false },
  { program: programs.numba, token: 'reduce', saysPlace: true },
  { program: programs.cupy, token: 'triton, registration', saysPlace: false },
  { program: programs.pytorch, token: 'share', saysPlace: true },
];

for (const { program, token, saysPlace } of pastes) {
  test.describe(`${program.name} in the window @interop`, () => {
    skipWithout(program);
    test.setTimeout(120_000);

    test('what it printed is pasted and opened', async ({ gpu, inspector }) => {
      const peer = await startProgram(gpu, program);
      try {
        const { offset = 0 } = await peer.ask('alloc', { size: MIB });
        await say(peer);
        const text = (await peer.ask('tokens', {})).tokens[token] ?? '';
        const form = await importing(inspector, 'Pasted text');
        await typed(form, 'Handle').fill(`2026-11-30 12:00:00 worker 3:\n${text}\n`);
        await expect(form.getByText(new RegExp(`pid ${peer.pid}|alive`)).first()).toBeVisible();
        if (saysPlace) await expect(typed(form, 'Offset')).toHaveValue(String(offset));
        await screenshot(inspector, `interop-paste-${program.name.toLowerCase()}`);
        await openIt(form);
        await expectTheirs(gpu, inspector, peer);
      } finally {
        await peer.stop('SIGKILL');
      }
    });
  });
}

for (const program of [programs.ctypes, programs.cudaCore]) {
  test.describe(`a pool of ${program.name} in the window @interop`, () => {
    skipWithout(program);
    test.setTimeout(120_000);

    test('its process and descriptor are typed, then what it printed is pasted', async ({ gpu, inspector }) => {
      const peer = await startProgram(gpu, program);
      try {
        const { fd } = await peer.ask('allocPool', { size: 4 * MIB });
        await mayTake(gpu, peer.pid);
        await say(peer);
        const process = await importing(inspector, 'Another process');
        await typed(process, 'Process').fill(String(peer.pid));
        await typed(process, 'File descriptor').fill(String(fd));
        await process.getByText('A memory pool').click();
        await openIt(process);

        const { tokens } = await peer.ask('tokens', {});
        const form = await importing(inspector, 'Pasted text');
        await typed(form, 'Handle').fill(tokens.reduce ?? tokens.bytes ?? '');
        // A real driver's pointer is known by its layout, cuda.core's by its name; the simulator's says nothing.
        const known = form.getByText(/^(?:Pool pointer|cuda\.core)/);
        const chosen = form.getByRole('radio', { name: 'Pointer in a pool' });
        // The dialog grows when it has been found out what is known before: a click may fall beside it.
        await expect(async () => {
          if (!(await known.isVisible())) await chosen.check({ force: true, timeout: 1000 });
          await expect(form.getByRole('combobox', { name: /^Pool:/ })).toBeVisible({ timeout: 1000 });
        }).toPass({ timeout: 10_000 });
        await form.getByRole('combobox', { name: /^Pool:/ }).click();
        await inspector.getByRole('option', { name: new RegExp(`^pid ${peer.pid}, fd ${fd} imported`) }).click();
        await screenshot(inspector, `interop-pool-pointer-${program.name.toLowerCase()}`);
        await openIt(form);
        await expectTheirs(gpu, inspector, peer);
      } finally {
        await peer.stop('SIGKILL');
      }
    });
  });
}

test.describe('virtual memory of ctypes in the window @interop', () => {
  skipWithout(programs.ctypes);

  test('it is pasted as PyTorch prints expandable segments', async ({ gpu, inspector }) => {
    const peer = await startProgram(gpu, programs.ctypes);
    try {
      const { fd } = await peer.ask('allocVirtual', { size: 4 * MIB });
      await mayTake(gpu, peer.pid);
      await say(peer);
      const form = await importing(inspector, 'Pasted text');
      await typed(form, 'Handle').fill(`handle: ${printedSegments(peer.pid, 4 * MIB, fd)}`);
      await expect(form.getByText(`fd ${fd}`)).toBeVisible();
      await expect(form.getByText('PyTorch storage by name (expandable segments)')).toBeVisible();
      await screenshot(inspector, 'interop-paste-expandable');
      await openIt(form);
      await expectTheirs(gpu, inspector, peer);
    } finally {
      await peer.stop('SIGKILL');
    }
  });

  test('its process, descriptor and size are typed', async ({ gpu, inspector }) => {
    const peer = await startProgram(gpu, programs.ctypes);
    try {
      const { fd } = await peer.ask('allocVirtual', { size: 4 * MIB });
      await mayTake(gpu, peer.pid);
      await say(peer);
      const form = await importing(inspector, 'Another process');
      await typed(form, 'Process').fill(String(peer.pid));
      await typed(form, 'File descriptor').fill(String(fd));
      await typed(form, 'Size of it').fill('4 MiB');
      await openIt(form);
      await expectTheirs(gpu, inspector, peer);
    } finally {
      await peer.stop('SIGKILL');
    }
  });
});
