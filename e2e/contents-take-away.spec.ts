/** Bytes taken away and put in: the clipboard, files, and values that are typed over. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import type { App, DemoWindow } from './harness/app';
import { answerFileDialogs } from './harness/file-dialogs';
import { expect, screenshot, test } from './harness/test';
import { expectAccessible, inEveryLook } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const bytesOf = (page: Page): Locator => page.getByRole('grid', { name: 'Bytes' });
const valuesOf = (page: Page): Locator => page.getByRole('grid', { name: 'Values' });
const bar = (page: Page): Locator => page.getByRole('group', { name: 'Copy, save, load' });
const edit = (page: Page): Locator => page.getByRole('group', { name: 'Edit', exact: true });
const clipboard = (app: App): Promise<string> => app.electron.evaluate(({ clipboard: board }) => board.readText());

async function select(page: Page, label: string): Promise<void> {
  await page.getByRole('grid', { name: 'Handles' }).getByText(label, { exact: true }).first().click();
}

/** 4 KiB of f32: element i is i / 2. */
async function halves(page: Page, gpu: Api, bytes = 4096): Promise<string> {
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes,
    label: 'halves',
    dtype: 'f32',
    fill: { pattern: 'ramp', start: 0, step: 0.5 },
  });
  await select(page, 'halves');
  await expect(bytesOf(page)).toBeVisible();
  return id;
}

/** Selects bytes from an offset on, by keys. */
async function selectBytes(page: Page, offset: string, count: number): Promise<void> {
  await page.getByLabel('Go to offset, element or expression').fill(offset);
  await page.keyboard.press('Enter');
  await bytesOf(page).focus();
  for (let i = 1; i < count; i++) await page.keyboard.press('Shift+ArrowRight');
}

async function copyAs(page: Page, name: string): Promise<void> {
  await contents(page).getByRole('button', { name: 'Copy, save, load', exact: true }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^Copy as ${name}( f32)?$`) }).click();
  await expect(bar(page)).toContainText(`copied as ${name}`);
}

const readBytes = async (gpu: Api, id: string, offset: number, length: number): Promise<number[]> =>
  Object.values((await gpu.memory.read.value({ id, offset, length })).bytes);

test('copies the selection in every format', async ({ app, inspector, gpu }) => {
  await halves(inspector, gpu);
  await selectBytes(inspector, '4', 8);
  await inspector.getByRole('tab', { name: 'Values' }).click();
  await inspector.getByRole('tab', { name: 'Bytes' }).click();
  const expected: readonly (readonly [string, string | RegExp])[] = [
    ['Hex', '00 00 00 3f 00 00 80 3f'],
    ['Hex dump', /^00000004 {2}00 00 00 3f 00 00 80 3f .*\|\.\.\.\?\.\.\.\?\|$/],
    ['C array', 'float data[2] = {\n    0.5f, 1.0f\n};'],
    ['Python bytes', "b'\\x00\\x00\\x00\\x3f\\x00\\x00\\x80\\x3f'"],
    ['NumPy array', 'np.array([\n    0.5, 1.0\n], dtype=np.float32)'],
    ['JSON', '[\n  0.5, 1\n]'],
    ['Base64', 'AAAAPwAAgD8='],
    ['CSV', 'index,offset,value\n0,0x4,0.5\n1,0x8,1'],
  ];
  for (const [name, text] of expected) {
    await copyAs(inspector, name);
    const copied = await clipboard(app);
    if (typeof text === 'string') expect(copied, name).toBe(text);
    else expect(copied, name).toMatch(text);
  }
  // The keys copy as the last time; Ctrl+C is hex.
  await bytesOf(inspector).focus();
  await inspector.keyboard.press('Control+C');
  await expect.poll(() => clipboard(app)).toBe('00 00 00 3f 00 00 80 3f');
  await inspector.keyboard.press('Control+Shift+C');
  await expect.poll(() => clipboard(app)).toContain('index,offset,value');
  await screenshot(inspector, 'take-away-copied');
});

test('says how to save what is too much to copy', async ({ app, inspector, gpu }) => {
  await halves(inspector, gpu, 2 * 1024 * 1024);
  await bytesOf(inspector).focus();
  await inspector.keyboard.press('Control+A');
  await app.electron.evaluate(({ clipboard: board }) => board.writeText('before'));
  await inspector.keyboard.press('Control+Shift+C');
  await expect(inspector.locator('body')).toContainText(
    '2.00 MiB are selected; as text at most 256 KiB can be copied.',
  );
  await expect(inspector.locator('body')).toContainText('Save them to a file instead: Ctrl+S.');
  expect(await clipboard(app)).toBe('before');
});

test('saves raw, .npy and CSV, by keys', async ({ app, inspector, gpu }, info) => {
  const id = await halves(inspector, gpu);
  await selectBytes(inspector, '4', 8);
  const raw = info.outputPath('selection.bin');
  await answerFileDialogs(app, raw);
  await inspector.keyboard.press('Control+S');
  const dialog = inspector.getByRole('dialog', { name: 'Save bytes' });
  await expect(dialog).toContainText('8 B from 0x4');
  await screenshot(inspector, 'take-away-save');
  await dialog.getByRole('button', { name: 'Save…' }).focus();
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText(`8 B saved to ${raw}`);
  expect([...readFileSync(raw)]).toEqual([0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f]);

  const npy = info.outputPath('all.npy');
  await answerFileDialogs(app, npy);
  await inspector.keyboard.press('Control+S');
  await dialog.getByText('All, 4.00 KiB').click();
  await dialog.getByText('.npy').click();
  await dialog.getByLabel('Shape').fill('32x31');
  await expect(dialog).toContainText('[32, 31] has 992 elements; there are 1,024.');
  await expect(dialog.getByRole('button', { name: 'Save…' })).toBeDisabled();
  await dialog.getByLabel('Shape').fill('32x32');
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText(npy);
  const file = readFileSync(npy);
  expect(file.subarray(0, 128).toString('latin1')).toContain("'shape': (32, 32)");
  expect([...file.subarray(-4096)]).toEqual(await readBytes(gpu, id, 0, 4096));

  const csv = info.outputPath('all.csv');
  await answerFileDialogs(app, csv);
  await inspector.keyboard.press('Control+S');
  await dialog.getByText('All, 4.00 KiB').click();
  await dialog.getByText('CSV').click();
  await inspector.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Save…' }).click();
  await expect(bar(inspector)).toContainText(csv);
  expect(readFileSync(csv, 'utf8').split('\n').slice(0, 3)).toEqual(['index,offset,value', '0,0x0,0', '1,0x4,0.5']);

  // Nothing chosen: nothing happens.
  await answerFileDialogs(app, undefined);
  await inspector.keyboard.press('Control+S');
  await dialog.getByRole('button', { name: 'Save…' }).click();
  await expect(bar(inspector)).toHaveCount(0);
});

test('says how far a long saving is, and can be given up', async ({ app, inspector, gpu }, info) => {
  await halves(inspector, gpu, 4 * 1024 ** 3);
  const path = info.outputPath('large.bin');
  await answerFileDialogs(app, path);
  await inspector.keyboard.press('Control+S');
  const dialog = inspector.getByRole('dialog', { name: 'Save bytes' });
  await expect(dialog).toContainText('All, 4.00 GiB');
  await dialog.getByText('CSV').click();
  await expect(dialog).toContainText('a CSV file holds at most 5,000,000 of them here. Save as .npy or raw.');
  await dialog.getByText('Raw bytes').click();
  await dialog.getByRole('button', { name: 'Save…' }).click();
  await expect(bar(inspector).getByRole('progressbar', { name: 'Save' })).toBeVisible();
  await expect(bar(inspector)).toContainText('of 4.00 GiB');
  await screenshot(inspector, 'take-away-progress');
  await bar(inspector).getByRole('button', { name: 'Cancel' }).click();
  await expect(bar(inspector)).toContainText('Save was cancelled.');
  expect(existsSync(path)).toBe(false);
});

test('loads a file after it was said what it overwrites, and puts back what was there', async ({
  app,
  inspector,
  gpu,
}, info) => {
  const id = await halves(inspector, gpu);
  const path = join(info.outputDir, 'bytes.bin');
  writeFileSync(info.outputPath('bytes.bin'), Uint8Array.of(1, 2, 3, 4, 5));
  const before = await readBytes(gpu, id, 0x10, 8);
  await answerFileDialogs(app, path);
  await selectBytes(inspector, '0x10', 1);
  await inspector.keyboard.press('Control+O');
  const dialog = inspector.getByRole('dialog', { name: 'Load a file into this memory?' });
  await expect(dialog).toContainText('Up to 4,080 B, from 0x10 to 0xfff, are overwritten');
  await screenshot(inspector, 'take-away-load');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  expect(await readBytes(gpu, id, 0x10, 8)).toEqual(before);
  await inspector.keyboard.press('Control+O');
  await expect(dialog.getByRole('textbox', { name: 'From' })).toBeFocused();
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText('5 B loaded from');
  expect(await readBytes(gpu, id, 0x10, 8)).toEqual([1, 2, 3, 4, 5, ...before.slice(5)]);
  await bar(inspector).getByRole('button', { name: 'Undo' }).click();
  await expect(bar(inspector)).toContainText('5 B are as they were before.');
  expect(await readBytes(gpu, id, 0x10, 8)).toEqual(before);

  // A file that is too large is refused as a whole, and says so.
  writeFileSync(path, new Uint8Array(5000));
  await inspector.keyboard.press('Control+O');
  await expect(dialog.getByRole('textbox', { name: 'From' })).toBeFocused();
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector).getByRole('alert')).toContainText('Load failed');
  expect(await readBytes(gpu, id, 0x10, 8)).toEqual(before);
});

test('values are typed over, taken back and written; what is no value is said', async ({ inspector, gpu }) => {
  const id = await halves(inspector, gpu);
  await inspector.getByRole('tab', { name: 'Values' }).click();
  await valuesOf(inspector).focus();
  await inspector.keyboard.press('ArrowRight');
  await inspector.keyboard.press('e');
  await expect(edit(inspector)).toBeVisible();
  await inspector.keyboard.type('-1.5e3');
  const field = edit(inspector).getByLabel('f32 at 0x4');
  await expect(field).toHaveValue('-1.5e3');
  await inspector.keyboard.press('Enter');
  await expect(valuesOf(inspector)).toBeFocused();
  await expect(valuesOf(inspector).locator('.v.e')).toHaveText(['-1500 ']);
  await inspector.keyboard.type('x');
  await inspector.keyboard.press('Enter');
  await expect(edit(inspector)).toContainText('“x” is no number.');
  await inspector.keyboard.press('Escape');
  await expect(valuesOf(inspector)).toBeFocused();
  await inspector.keyboard.type('nan');
  await inspector.keyboard.press('Enter');
  await expect(edit(inspector)).toContainText('8 bytes to write');
  await screenshot(inspector, 'values-editing');
  await inspector.keyboard.press('Control+Z');
  await expect(edit(inspector)).toContainText('4 bytes to write');
  expect(await readBytes(gpu, id, 4, 4)).toEqual([0, 0, 0, 0x3f]);
  await edit(inspector).getByRole('button', { name: 'Write', exact: true }).click();
  await expect(edit(inspector).getByText('Editing')).toBeVisible();
  expect(await readBytes(gpu, id, 4, 8)).toEqual([0, 0x80, 0xbb, 0xc4, 0, 0, 0x80, 0x3f]);
  // What was written can be taken back: it waits to be written again.
  await edit(inspector).getByRole('button', { name: 'Undo' }).click();
  await edit(inspector).getByRole('button', { name: 'Write', exact: true }).click();
  await expect.poll(() => readBytes(gpu, id, 4, 4)).toEqual([0, 0, 0, 0x3f]);
});

test('what was typed and not written when the memory goes says so, and is discarded', async ({ inspector, gpu }) => {
  const id = await halves(inspector, gpu);
  await bytesOf(inspector).focus();
  await inspector.keyboard.press('e');
  await inspector.keyboard.type('ffee');
  await expect(edit(inspector)).toContainText('2 bytes to write');
  await gpu.buffers.free.value({ id });
  await expect(edit(inspector)).toContainText('2 bytes not written');
  await inspector.keyboard.press('Control+Enter');
  await expect(edit(inspector)).toContainText('The memory cannot be written to any more.');
  await edit(inspector).getByRole('button', { name: 'Discard' }).click();
  await expect(edit(inspector)).toBeHidden();
  await expect(bytesOf(inspector)).toBeFocused();
});

test('memory of another process is written to after a second question only, and no file is loaded into it', async ({
  app,
  inspector,
  gpu,
}) => {
  const producer: DemoWindow = await app.open('producer');
  const { id: buffer } = await producer.api.buffers.create.value({
    device: 0,
    bytes: 4096,
    label: 'theirs',
    dtype: 'i32',
  });
  const { id: exportId } = await producer.api.buffers.export.value({ id: buffer });
  const mapping = await gpu.imports.open.value({ exportId, device: 0, label: 'theirs' });
  await inspector.bringToFront();
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('theirs', { exact: true }).first().click();
  await inspector.getByRole('tab', { name: 'Values' }).click();
  await valuesOf(inspector).focus();
  await inspector.keyboard.press('e');
  await inspector.keyboard.type('77');
  await inspector.keyboard.press('Enter');
  await expect(valuesOf(inspector)).toBeFocused();
  await inspector.keyboard.press('Control+Enter');
  const question = inspector.getByRole('alertdialog', { name: /^Write into the memory of/ });
  await expect(question).toContainText('4 new bytes');
  // Keys that come too soon keep the memory as it is.
  for (const key of ['Enter', 'Escape']) {
    await expect(question.getByRole('button', { name: 'Keep as it is' })).toBeFocused();
    await inspector.keyboard.press(key);
    await expect(question).toBeHidden();
    await expect(valuesOf(inspector)).toBeFocused();
    await inspector.keyboard.press('Control+Enter');
  }
  expect(await readBytes(gpu, mapping.id, 0, 4)).toEqual([0, 0, 0, 0]);
  await inspector.keyboard.press('Tab');
  await expect(question.getByRole('button', { name: /^Write into/ })).toBeFocused();
  await inspector.keyboard.press('Enter');
  await expect.poll(() => readBytes(gpu, mapping.id, 0, 4)).toEqual([77, 0, 0, 0]);
  await inspector.keyboard.press('Escape');

  await contents(inspector).getByRole('button', { name: 'Copy, save, load', exact: true }).click();
  await expect(inspector.getByRole('menuitem', { name: 'Load a file…' })).toHaveAttribute('aria-disabled', 'true');
});

test('the card says the bits and the exact number; nothing serious for accessibility', async ({
  app,
  inspector,
  gpu,
}) => {
  const id = await halves(inspector, gpu);
  const card = inspector.getByLabel('Value under the cursor');
  await card.getByRole('button', { name: 'Exact f32' }).click();
  await gpu.buffers.write.value({
    id,
    offset: 0,
    bytes: Uint8Array.of(0xcd, 0xcc, 0xcc, 0x3d),
  });
  await expect(card).toContainText('0.100000001490116119384765625');
  await expect(card).toContainText('0 01111011 10011001100110011001101');
  await inEveryLook(app, inspector, async (look) => {
    await selectBytes(inspector, '4', 4);
    await copyAs(inspector, 'JSON');
    await screenshot(inspector, `take-away-${look}`);
    await expectAccessible(inspector, 'contents');
  });
});
