/** What people who know other hex editors and memory inspectors expect of Bytes and Values. */
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import type { App } from './harness/app';
import { expect, test } from './harness/test';
import { resize } from './harness/window';

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const grid = (page: Page, name: string): Locator => page.getByRole('grid', { name });
const foot = (page: Page): Locator => contents(page).locator('footer');
const gotoField = (page: Page): Locator => page.getByLabel('Go to offset, element or expression');
const copied = (app: App): Promise<string> => app.electron.evaluate(({ clipboard }) => clipboard.readText());

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** A buffer with the numbers 0, 1, 2… as f32 at its beginning, selected, in a view. */
async function ramp(
  page: Page,
  gpu: Api,
  view: 'Bytes' | 'Values',
  bytes = 64 * 1024,
): Promise<{ id: string; address: string }> {
  const made = await gpu.buffers.create.value({ device: 0, bytes, label: 'ramp', dtype: 'f32' });
  const numbers = Float32Array.from({ length: 1024 }, (_, i) => i);
  await gpu.buffers.write.value({ id: made.id, offset: 0, bytes: new Uint8Array(numbers.buffer) });
  await page.getByRole('grid', { name: 'Handles' }).getByText('ramp', { exact: true }).click();
  await page.getByRole('tab', { name: view }).click();
  await grid(page, view).focus();
  return made;
}

test('Values selects whole elements, by keys and by mouse, and copies them whole', async ({ app, inspector, gpu }) => {
  await ramp(inspector, gpu, 'Values', 64 * 1024 + 3);
  const cell = (text: string) => grid(inspector, 'Values').getByRole('gridcell', { name: text, exact: true }).first();
  await expect(cell('7')).toBeVisible();
  await press(inspector, 'ArrowRight', 'Control+c');
  await expect(foot(inspector)).toContainText('At 0x4');
  await expect.poll(() => copied(app)).toBe('1');
  await press(inspector, 'Shift+ArrowRight');
  await expect(foot(inspector)).toContainText('Selected 0x4–0xb, 8 bytes');
  await press(inspector, 'Control+c');
  await expect.poll(() => copied(app)).toBe('1\n2');
  await press(inspector, 'Shift+ArrowLeft', 'Shift+ArrowLeft');
  await expect(foot(inspector)).toContainText('Selected 0x0–0x7, 8 bytes');

  await cell('2').click();
  await expect(foot(inspector)).toContainText('At 0x8');
  await cell('7').click({ modifiers: ['Shift'] });
  await expect(foot(inspector)).toContainText('Selected 0x8–0x1f, 24 bytes');
  await press(inspector, 'Control+a');
  await expect(foot(inspector)).toContainText('Selected 0x0–0x10002, 65,539 bytes');
  await press(inspector, 'Control+Home', 'Control+Shift+End');
  await expect(foot(inspector)).toContainText('Selected 0x0–0x10002, 65,539 bytes');
});

test('a page down turns the page in the view too, and a page up takes it back', async ({ inspector, gpu }) => {
  await ramp(inspector, gpu, 'Bytes');
  const first = () =>
    grid(inspector, 'Bytes')
      .locator('.rows .brow .off')
      .first()
      .textContent()
      .then((text) => text?.trim());
  await expect.poll(first).toBe('00000000');
  await press(inspector, 'ArrowDown', 'PageDown');
  const at = async () => Number(await foot(inspector).locator('b').first().textContent());
  await expect.poll(async () => (await at()) - Number(`0x${await first()}`)).toBe(16);
  expect(await at()).toBeGreaterThan(16);
  await press(inspector, 'PageUp');
  await expect.poll(first).toBe('00000000');
  await expect(foot(inspector)).toContainText('At 0x10');
});

test('Shift+Enter in Go to selects up to a place; the field is as wide as the largest offset', async ({
  app,
  inspector,
  gpu,
}) => {
  await ramp(inspector, gpu, 'Bytes', 5 * 2 ** 30 + 1);
  await gotoField(inspector).fill('0x1400');
  await press(inspector, 'Enter');
  await gotoField(inspector).fill('4 GiB + 0xabcd');
  await press(inspector, 'Shift+Enter');
  await expect(foot(inspector)).toContainText('Selected 0x1400–0x10000abcd, 4,295,006,158 bytes');
  await expect(grid(inspector, 'Bytes')).toBeFocused();
  for (const width of [1440, 1024]) {
    await resize(app, width, 700);
    await press(inspector, 'Control+End');
    await expect(gotoField(inspector)).toHaveValue('0x140000000');
    await expect.poll(() => gotoField(inspector).evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(0);
  }
});

test('rows have any width; NaN is marked also where a row begins within it', async ({ inspector, gpu }) => {
  const { id } = await ramp(inspector, gpu, 'Bytes');
  const bytes = grid(inspector, 'Bytes');
  const tools = contents(inspector).getByRole('toolbar', { name: 'Bytes' });
  const write = (offset: number, value: number) =>
    gpu.buffers.write.value({ id, offset, bytes: new Uint8Array(Float64Array.of(value).buffer) });
  // As f64 at 16 and at 40: with 10 bytes in a row both go over the end of one.
  await write(16, Number.NaN);
  await write(40, Number.POSITIVE_INFINITY);
  await tools.getByRole('combobox', { name: /^Type/ }).click();
  await inspector.getByRole('option', { name: 'f64' }).click();

  await tools.getByRole('combobox', { name: /^Row/ }).click();
  await inspector.getByRole('option', { name: 'other…' }).click();
  const field = tools.getByRole('textbox', { name: 'Bytes in a row' });
  await expect(field).toBeFocused();
  await field.fill('0');
  await press(inspector, 'Enter');
  await expect(tools).toContainText('A whole number from 1 to 256.');
  await field.fill('10');
  await press(inspector, 'Enter');
  await expect(bytes).toBeFocused();
  await expect(tools.getByRole('combobox', { name: 'Row: 10' })).toBeVisible();
  await expect(bytes).toHaveAttribute('aria-colcount', '12');
  await expect(bytes.locator('.rows .brow .off').nth(2)).toHaveText('00000014 ');
  await expect(bytes.locator('.rows .brow').nth(1).locator('.hex .nan')).toHaveCount(4);
  await expect(bytes.locator('.rows .brow').nth(2).locator('.hex .nan')).toHaveCount(4);
  await expect(bytes.locator('.rows .brow').nth(4).locator('.hex .nan')).toHaveCount(8);
  await press(inspector, 'ArrowDown', 'End');
  await expect(foot(inspector)).toContainText('At 0x13');
  // 65,536 = 6,553 × 10 + 6
  await press(inspector, 'Control+End', 'Home');
  await expect(foot(inspector)).toContainText('At 0xfffa');

  await tools.getByRole('combobox', { name: /^Row/ }).click();
  await inspector.getByRole('option', { name: 'other…' }).click();
  await expect(field).toBeFocused();
  await press(inspector, 'Escape');
  await expect(tools.getByRole('combobox', { name: 'Row: 10' })).toBeVisible();
});

test('Values shows the bits beside each value, and any number in a row', async ({ app, inspector, gpu }) => {
  const { id } = await ramp(inspector, gpu, 'Values');
  const values = grid(inspector, 'Values');
  const tools = contents(inspector).getByRole('toolbar', { name: 'Values' });
  const cell = (index: number) => values.getByRole('gridcell').nth(index);
  await expect(cell(1)).toHaveText('1 ');
  await tools.getByRole('button', { name: 'Bits' }).click();
  await expect(cell(1)).toHaveText('1 3f800000');
  // Two NaN that look alike.
  await gpu.buffers.write.value({ id, offset: 0, bytes: Uint8Array.of(1, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0xff) });
  await expect(cell(0)).toHaveText('NaN 7fc00001');
  await expect(cell(1)).toHaveText('NaN ffc00000');

  await tools.getByRole('combobox', { name: /^Row/ }).click();
  await inspector.getByRole('option', { name: '3', exact: true }).click();
  await expect(values).toHaveAttribute('aria-colcount', '5');
  await expect(values.getByRole('rowheader', { name: '0000000c' })).toBeVisible();
  await cell(4).locator('.v-bits').click();
  await expect(foot(inspector)).toContainText('At 0x10');
  await press(inspector, 'ArrowDown', 'Home');
  await expect(foot(inspector)).toContainText('At 0x18');

  // In a small window the same choices are in a menu.
  await resize(app, 1024, 700);
  await tools.getByRole('button', { name: 'How values are shown' }).click();
  await inspector.getByRole('menuitem', { name: 'Rows of another number…' }).click();
  const field = tools.getByRole('textbox', { name: 'Values in a row' });
  await expect(field).toBeFocused();
  await field.fill('5');
  await press(inspector, 'Enter');
  await expect(values).toBeFocused();
  await expect(values).toHaveAttribute('aria-colcount', '7');
  await expect(values.getByRole('rowheader', { name: '00000014' })).toBeVisible();
});

test('of rows wider than the pane the offset stays in sight, and the cursor beside it', async ({ inspector, gpu }) => {
  await ramp(inspector, gpu, 'Bytes');
  await gpu.settings.set.value({ byteRow: 64, contents: { values: { row: 16, bits: true } } });
  const left = (locator: Locator) => locator.evaluate((element) => Math.round(element.getBoundingClientRect().left));
  for (const view of ['Bytes', 'Values'] as const) {
    await inspector.getByRole('tab', { name: view }).click();
    const all = grid(inspector, view);
    await all.focus();
    await press(inspector, 'Control+Home');
    const head = all.locator('.rows').getByRole('rowheader').last();
    const start = await left(head);
    await press(inspector, 'End');
    await expect.poll(() => all.evaluate((element) => element.scrollLeft)).toBeGreaterThan(100);
    expect(await left(head)).toBe(start);
    // Back step by step: the cell of the cursor never goes below what stays.
    await press(inspector, ...Array.from({ length: view === 'Bytes' ? 60 : 15 }, () => 'ArrowLeft'));
    const edge = await head.evaluate((element) => Math.round(element.getBoundingClientRect().right));
    await expect.poll(() => left(all.locator('.rows .cur').first())).toBeGreaterThanOrEqual(edge);
  }
});

test('a right click offers what can be done with the selection; offset and address are copied', async ({
  app,
  inspector,
  gpu,
}) => {
  const { address } = await ramp(inspector, gpu, 'Bytes');
  const bytes = grid(inspector, 'Bytes');
  const cell = (row: number, column: number) => bytes.locator('.rows .brow').nth(row).locator('.hex .b').nth(column);
  const choose = (name: string) => inspector.getByRole('menuitem', { name }).click();
  await cell(1, 4).click();
  await cell(1, 7).click({ modifiers: ['Shift'] });
  // Within the selection it stays.
  await cell(1, 5).click({ button: 'right' });
  await choose('Copy Ctrl C');
  await expect.poll(() => copied(app)).toBe('00 00 a0 40');
  await expect(foot(inspector)).toContainText('Selected 0x14–0x17, 4 bytes');
  await expect(bytes).toBeFocused();
  await cell(1, 6).click({ button: 'right' });
  await choose('Copy the offset');
  await expect.poll(() => copied(app)).toBe('0x14');
  // Elsewhere it is for the byte under the pointer.
  await cell(2, 3).click({ button: 'right' });
  await choose('Copy the address');
  await expect(foot(inspector)).toContainText('At 0x23');
  await expect.poll(() => copied(app)).toBe(`0x${(BigInt(address) + 0x23n).toString(16)}`);
  await expect(bytes).toBeFocused();
  await press(inspector, 'ArrowDown', 'Alt+c');
  await expect.poll(() => copied(app)).toBe('0x33');
  await press(inspector, 'Shift+F10');
  await choose('Select all');
  await expect(foot(inspector)).toContainText('Selected 0x0–0xffff, 65,536 bytes');
  await expect(bytes).toBeFocused();
  await press(inspector, 'Escape');
  await expect(foot(inspector)).toContainText('At 0xffff');
});

test('Go to moves the cursor of every view', async ({ inspector, gpu }) => {
  await ramp(inspector, gpu, 'Bytes');
  const open = (name: string) => inspector.getByRole('tab', { name }).click();
  const go = async (place: string) => {
    await gotoField(inspector).fill(place);
    await press(inspector, 'Enter');
  };
  await open('Image');
  // 128 × 128 pixels of f32
  await go('[300]');
  await expect(contents(inspector).locator('#picture-say')).toContainText('x 44, y 2: 300');
  // Back and forward with the buttons at the side of a mouse.
  await contents(inspector).dispatchEvent('mouseup', { button: 3 });
  await expect(contents(inspector).locator('#picture-say')).toContainText('x 0, y 0: 0');
  await contents(inspector).dispatchEvent('mouseup', { button: 4 });
  await expect(contents(inspector).locator('#picture-say')).toContainText('x 44, y 2: 300');
  await open('Tensor');
  await go('[301]');
  await expect(grid(inspector, 'Values of the slice').locator('[aria-selected="true"]')).toHaveText('301');
  await open('Structure');
  await inspector.getByRole('textbox', { name: 'Format', exact: true }).fill('struct P { f32 x, y; }; P[];');
  const tree = inspector.getByRole('treegrid');
  await expect(tree.getByRole('row').nth(1)).toContainText('P[8192]');
  await go('[7]');
  await expect(tree.locator('[aria-selected="true"]')).toContainText('0x1c');
  await contents(inspector).getByText('Table', { exact: true }).click();
  await go('[901]');
  const table = grid(inspector, 'Elements of P');
  await expect(
    table.getByRole('row').filter({ has: inspector.getByRole('rowheader', { name: '450', exact: true }) }),
  ).toContainText('900');
  await expect(table.locator('[aria-selected="true"]')).toHaveText('900');
  await press(inspector, 'ArrowDown');
  await expect(table.locator('[aria-selected="true"]')).toHaveText('902');
});
