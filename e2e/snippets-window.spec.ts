/** Code for the other side as a person takes it: chosen, hidden, copied, run by a program that knows nothing of this app. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { parseDescriptor } from '#contract/descriptor';
import type { MemoryKind } from '#contract/values';
import { api } from './harness/api';
import type { App } from './harness/app';
import { pythonHas } from './harness/peer';
import { expect, realDriver, screenshot, test } from './harness/test';
import { expectAccessible, resize } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const MIB = 2 ** 20;
const button = (scope: Page | Locator, name: string): Locator => scope.getByRole('button', { name, exact: true });
const row = (page: Page, label: RegExp): Locator =>
  page.getByRole('grid', { name: 'Handles' }).getByRole('row', { name: label });
const clipboard = (app: App): Promise<string> => app.electron.evaluate(({ clipboard }) => clipboard.readText());

async function exporting(app: App, label: string, memory: MemoryKind = 'device') {
  const producer = await app.open('producer');
  const fill = { pattern: 'ramp' } as const;
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MIB, label, memory, fill });
  const { id: exportId, handle } = await producer.api.buffers.export.value({ id });
  return { producer, id, exportId, hex: Buffer.from(handle ?? []).toString('hex') };
}

/** Opens the dialog through the menu of a row, by keyboard. */
async function openCode(page: Page, label: RegExp, item = 'Code for the other side…'): Promise<Locator> {
  await row(page, label).click();
  await row(page, label).click({ button: 'right' });
  await page.getByRole('menuitem', { name: item }).click();
  const dialog = page.getByRole('dialog', { name: /^Code for the other side/ });
  await expect(dialog).toBeVisible();
  return dialog;
}

const code = (dialog: Locator): Locator => dialog.getByRole('region', { name: 'Code' });
const library = (dialog: Locator, name: string): Locator => dialog.getByRole('radio', { name, exact: true });

/** A Python program that finds the simulated driver where it looks for the real one. */
class Program {
  readonly child: ChildProcessWithoutNullStreams;
  #folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-code-'));
  output = '';
  complaint = '';

  constructor(text: string, library: string) {
    for (const name of ['libcuda.so', 'libcuda.so.1']) if (!realDriver) symlinkSync(library, join(this.#folder, name));
    const { LD_LIBRARY_PATH: _, ELECTRON_RUN_AS_NODE: __, ...env } = process.env;
    this.child = spawn('python3', ['-c', text], {
      env: realDriver ? env : { ...env, LD_LIBRARY_PATH: this.#folder },
    });
    this.child.stdout.setEncoding('utf8').on('data', (some: string) => {
      this.output += some;
    });
    this.child.stderr.setEncoding('utf8').on('data', (some: string) => {
      this.complaint += some;
    });
  }

  /** Presses Enter, and waits for its end. */
  async end(): Promise<void> {
    const ended = new Promise((resolve) => {
      if (this.child.exitCode !== null) resolve(undefined);
      else this.child.once('exit', resolve);
    });
    this.child.stdin.end('\n');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

test('the handle is hidden in the code until it is revealed; a copy has the real one', async ({
  app,
  inspector,
  gpu,
}) => {
  const { exportId, hex } = await exporting(app, 'weights');
  const dialog = await openCode(inspector, /^weights/);
  await expect(dialog).toContainText('Memory by legacy handle travels as 64 bytes.');
  await expect(library(dialog, 'ctypes, Python')).toBeChecked();
  await expect(code(dialog)).toContainText('••••');
  await expect(code(dialog)).not.toContainText(hex.slice(0, 24));
  await screenshot(inspector, 'code-importer');
  await expectAccessible(inspector);

  await button(dialog, 'Copy code').click();
  await expect(button(dialog, 'Copied')).toBeVisible();
  const asked = await gpu.handles.snippet.value({
    id: exportId,
    side: 'importer',
    language: 'python',
    library: 'ctypes',
  });
  expect(await clipboard(app)).toBe(asked.code);
  expect(asked.code).toContain(hex);

  await button(dialog, 'Reveal').click();
  await expect(code(dialog)).toContainText(hex);
  // Another library begins hidden again.
  await library(dialog, 'CuPy, Python').check({ force: true });
  await expect(code(dialog)).toContainText('cupy');
  await expect(code(dialog)).not.toContainText(hex);
  await library(dialog, 'ILGPU, C#').check({ force: true });
  await expect(code(dialog)).toContainText('ILGPU');
  await dialog.getByText('Exporter', { exact: true }).click();
  await expect(dialog.getByRole('region', { name: 'Good to know' })).toContainText('It ends with Enter');
});

test('libraries that cannot are there with the reason, for each mechanism', async ({ app, inspector }) => {
  await exporting(app, 'pooled', 'pool');
  const dialog = await openCode(inspector, /^pooled/);
  await expect(dialog).toContainText('the file descriptor of its pool and 64 bytes');
  await expect(library(dialog, 'CuPy, Python')).toBeDisabled();
  await expect(library(dialog, 'CuPy, Python')).toHaveAccessibleDescription(/^[A-Z].*\.$/);
  await expect(library(dialog, 'ctypes, Python')).toBeEnabled();
  await screenshot(inspector, 'code-pool');
  await expectAccessible(inspector);
});

test('by keyboard alone: from the row to the copied code', async ({ app, inspector }) => {
  const { hex } = await exporting(app, 'weights');
  await row(inspector, /^weights/).click();
  await inspector.keyboard.press('Control+k');
  await inspector.keyboard.type('code for the other');
  await inspector.keyboard.press('Enter');
  const dialog = inspector.getByRole('dialog', { name: 'Code for the other side: weights' });
  await expect(dialog).toBeVisible();
  await library(dialog, 'ctypes, Python').focus();
  await inspector.keyboard.press('ArrowDown');
  await expect(library(dialog, 'CUDA Python, Python')).toBeChecked();
  await button(dialog, 'Copy code').focus();
  await inspector.keyboard.press('Enter');
  await expect(button(dialog, 'Copied')).toBeVisible();
  expect(await clipboard(app)).toContain(hex);
  await inspector.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('the descriptor is hidden, copied, and read back', async ({ app, inspector, gpu }) => {
  const { exportId, hex, producer } = await exporting(app, 'weights');
  const dialog = await openCode(inspector, /^weights/, 'Descriptor…');
  const text = dialog.getByRole('region', { name: 'Descriptor' });
  await expect(text).toContainText('"handle": "••••"');
  await expect(text).toContainText('"gpu-ipc-descriptor"');
  await screenshot(inspector, 'code-descriptor');
  await expectAccessible(inspector);
  await button(dialog, 'Copy descriptor').click();
  await expect(button(dialog, 'Copied')).toBeVisible();
  const copied = await clipboard(app);
  expect(copied).toBe((await gpu.handles.describe.value({ id: exportId })).descriptor);
  expect(parseDescriptor(copied)).toMatchObject({
    ok: true,
    descriptor: { handle: hex, exporter: { pid: producer.pid }, label: 'weights' },
  });
  await button(dialog, 'Reveal').click();
  await expect(text).toContainText(hex);
  await button(dialog, 'Hide').click();
  await expect(text).not.toContainText(hex);
});

test.describe('code that is run', () => {
  test.skip(() => !pythonHas('ctypes'), 'python3 is not installed here');

  for (const memory of ['device', 'pool', 'virtual'] as const) {
    test(`the importer's code for ${memory} memory reads the same bytes in another program`, async ({
      app,
      inspector,
      gpu,
    }) => {
      await exporting(app, 'ramp', memory);
      const dialog = await openCode(inspector, /^ramp/);
      await expect(library(dialog, 'ctypes, Python')).toBeChecked();
      await button(dialog, 'Copy code').click();
      await expect(button(dialog, 'Copied')).toBeVisible();
      const { driver } = await gpu.app.info.value();
      const program = new Program(await clipboard(app), driver.path);
      await program.end();
      expect(program.output, program.complaint).toContain('first bytes: 00 01 02 03 04 05 06 07');
    });
  }

  test('the exporter’s code prints a descriptor that opens when it is pasted', async ({ app, inspector, gpu }) => {
    await exporting(app, 'like this', 'virtual');
    const dialog = await openCode(inspector, /^like this/);
    await dialog.getByText('Exporter', { exact: true }).click();
    await expect(library(dialog, 'ctypes, Python')).toBeChecked();
    await button(dialog, 'Copy code').click();
    await expect(button(dialog, 'Copied')).toBeVisible();
    await inspector.keyboard.press('Escape');
    const { driver } = await gpu.app.info.value();
    const program = new Program(await clipboard(app), driver.path);
    try {
      await expect
        .poll(() => parseDescriptor(program.output).ok, { message: `a descriptor: ${program.complaint}` })
        .toBe(true);
      await button(inspector, 'Import handle').first().click();
      const form = inspector.getByRole('dialog', { name: 'Import handle' });
      await form.getByText('Pasted text', { exact: true }).click();
      await form.getByRole('textbox', { name: 'Handle' }).fill(program.output);
      await expect(form.getByText('a process outside of this app')).toBeVisible();
      await expect(form.getByText(`copied out of process ${program.child.pid}`)).toBeVisible();
      await button(form, 'Open').click();
      await expect(form).toBeHidden();
      const { mappings } = await api(inspector).ledger.snapshot.value();
      expect(mappings.find(({ state, exportId }) => state === 'open' && exportId === null)).toMatchObject({
        mechanism: 'virtual',
      });
    } finally {
      await program.end();
    }
  });
});

test('the dialog fits the smallest window and both themes', async ({ app, inspector, gpu }) => {
  await exporting(app, 'weights');
  await resize(app, 1024, 640);
  const dialog = await openCode(inspector, /^weights/);
  await expect(code(dialog)).toContainText('••••');
  for (const theme of ['light', 'dark'] as const) {
    await gpu.settings.set.value({ theme });
    await expect(inspector.locator('html')).toHaveAttribute('data-theme', theme);
    await expect(button(dialog, 'Copy code')).toBeInViewport({ ratio: 1 });
    await expect(button(dialog, 'Close')).toBeInViewport({ ratio: 1 });
    await expectAccessible(inspector);
    await screenshot(inspector, `code-small-${theme}`);
  }
});
