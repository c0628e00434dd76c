/** The Tensor and Image views: slices of any layout as a table, in colours, as a line; memory as a picture. */
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import { expect, screenshot, test } from './harness/test';
import { expectAccessible, inEveryLook } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const foot = (page: Page): Locator => contents(page).locator('footer');
const table = (page: Page): Locator => page.getByRole('grid', { name: 'Values of the slice' });
const field = (page: Page, name: string): Locator => contents(page).getByRole('textbox', { name, exact: true });
const picture = (page: Page): Locator => page.getByRole('application', { name: /^Picture of the memory/ });

/** A cell of the table by its place on the screen. */
const cell = (page: Page, row: number, column: number): Locator =>
  table(page)
    .getByRole('row')
    .nth(row + 1)
    .getByRole('gridcell')
    .nth(column);

async function pick(page: Page, name: string, option: string): Promise<void> {
  await contents(page)
    .getByRole('combobox', { name: new RegExp(`^${name}: `) })
    .click();
  await page.getByRole('option', { name: option }).first().click();
}

/** 6 × 8 × 10 floats: element i is i. */
async function ramp(page: Page, gpu: Api): Promise<string> {
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes: 6 * 8 * 10 * 4,
    label: 'activations',
    dtype: 'f32',
    fill: { pattern: 'ramp', start: 0, step: 1 },
  });
  await page.getByRole('grid', { name: 'Handles' }).getByText('activations', { exact: true }).first().click();
  await page.getByRole('tab', { name: 'Tensor' }).click();
  return id;
}

test('shows slices of a tensor, live, and keeps them while a shape does not fit', async ({ inspector, gpu }) => {
  const id = await ramp(inspector, gpu);
  await expect(field(inspector, 'Shape')).toHaveValue('[480]');
  await expect(cell(inspector, 0, 2)).toHaveText('2');

  await field(inspector, 'Shape').fill('6x8x10');
  await expect(field(inspector, 'Slice')).toHaveValue('[0, :, :]');
  await expect(table(inspector)).toHaveAttribute('aria-rowcount', '9');
  await expect(table(inspector)).toHaveAttribute('aria-colcount', '11');
  await expect(cell(inspector, 7, 0)).toHaveText('70');

  await contents(inspector).getByRole('button', { name: 'Dimension 0: one on' }).click();
  await expect(field(inspector, 'Slice')).toHaveValue('[1, :, :]');
  await expect(cell(inspector, 0, 0)).toHaveText('80');
  await field(inspector, 'Slice').fill('[:, 3, :]');
  await expect(cell(inspector, 2, 1)).toHaveText(String(2 * 80 + 30 + 1));
  await pick(inspector, 'Rows', '2 of 10');
  await expect(field(inspector, 'Slice')).toHaveValue('[:, 3, :].T');
  await expect(cell(inspector, 1, 2)).toHaveText(String(2 * 80 + 30 + 1));
  await field(inspector, 'Slice').fill('[:, 9, :]');
  await expect(contents(inspector)).toContainText('Dimension 1 has 8 elements: 9 is none of them.');
  await expect(cell(inspector, 1, 2)).toHaveText('191');
  await field(inspector, 'Slice').fill('[0, :, :]');

  // A shape that does not fit says which index leads outside; the table stays.
  await field(inspector, 'Shape').fill('7x8x10');
  await expect(contents(inspector)).toContainText(
    'Index [6, 7, 9] lies at bytes 2,236 to 2,239; the memory has 1,920 bytes.',
  );
  await expect(cell(inspector, 7, 0)).toHaveText('70');
  await screenshot(inspector, 'tensor-wrong-shape');
  await field(inspector, 'Shape').fill('2, 3');
  await field(inspector, 'Strides').fill('(-8, 1)');
  await expect(contents(inspector)).toContainText('before the start of the memory');
  await field(inspector, 'Offset').fill('0x40');
  await expect(cell(inspector, 1, 2)).toHaveText('10');

  // What changes is read again and carries a cue; NaN is no number.
  await gpu.buffers.write.value({ id, offset: 0x40, bytes: Uint8Array.of(0, 0, 0xc0, 0x7f) });
  await expect(cell(inspector, 0, 0)).toHaveText('NaN');
  await expect(cell(inspector, 0, 0)).toHaveClass(/\bc1\b/);
  await expect(cell(inspector, 0, 0)).toHaveClass(/\bnan\b/);

  // Paused it stays; one step reads once.
  await table(inspector).focus();
  await inspector.keyboard.press('Space');
  await gpu.buffers.write.value({ id, offset: 0x44, bytes: new Uint8Array(4) });
  // Time in which it would have been read, were it not paused.
  await inspector.waitForTimeout(500);
  await expect(cell(inspector, 0, 1)).toHaveText('17');
  await inspector.keyboard.press('.');
  await expect(cell(inspector, 0, 1)).toHaveText('0');
});

test('goes to the last element of a large tensor by the keyboard, and shows its bytes', async ({ inspector, gpu }) => {
  const bytes = 2 ** 31;
  const { id } = await gpu.buffers.create.value({ device: 0, bytes, label: 'cache', dtype: 'f16' });
  await gpu.buffers.write.value({ id, offset: bytes - 2, bytes: Uint8Array.of(0, 0x3c) });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('cache', { exact: true }).first().click();
  await inspector.getByRole('tab', { name: 'Tensor' }).focus();
  await inspector.keyboard.press('Enter');
  await field(inspector, 'Shape').focus();
  await inspector.keyboard.press('Control+A');
  await inspector.keyboard.type('32768, 32768');
  await expect(table(inspector)).toHaveAttribute('aria-rowcount', '32769');
  const focused = () => inspector.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  for (let i = 0; i < 30 && (await focused()) !== 'Values of the slice'; i++) await inspector.keyboard.press('Tab');
  await inspector.keyboard.press('Control+End');
  const active = () =>
    table(inspector).evaluate((element) => {
      const cell = document.getElementById(element.getAttribute('aria-activedescendant') ?? '');
      return [
        cell?.textContent,
        cell?.getAttribute('aria-colindex'),
        cell?.parentElement?.getAttribute('aria-rowindex'),
      ];
    });
  await expect.poll(active).toEqual(['1', '32769', '32769']);
  await expect(inspector.getByLabel('Value under the cursor')).toContainText('0x7ffffffe');
  await inspector.keyboard.press('PageUp');
  await inspector.keyboard.press('Home');
  await expect.poll(async () => (await active())[1]).toBe('2');
  await inspector.keyboard.press('Control+End');
  await inspector.keyboard.press('Enter');
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toBeVisible();
  await expect(foot(inspector)).toContainText('Selected 0x7ffffffe–0x7fffffff, 2 bytes');
});

test('colours numbers and draws a line of them', async ({ inspector, gpu }) => {
  const id = await ramp(inspector, gpu);
  await field(inspector, 'Shape').fill('6x8x10');
  await contents(inspector).getByRole('switch', { name: 'Heat map' }).click();
  const color = (row: number, column: number) =>
    cell(inspector, row, column).evaluate((element) => getComputedStyle(element).backgroundColor);
  await expect.poll(() => color(0, 0)).toBe('rgb(68, 1, 84)');
  await expect.poll(() => color(7, 9)).toBe('rgb(253, 231, 37)');
  await expect(field(inspector, 'to')).toHaveValue('79');
  await pick(inspector, 'Range', 'whole slice');
  await expect(field(inspector, 'to')).toHaveValue('79');
  await field(inspector, 'to').fill('158');
  await expect.poll(() => color(7, 9)).not.toBe('rgb(253, 231, 37)');
  await screenshot(inspector, 'tensor-heat');

  await inspector.getByText('Plot', { exact: true }).click();
  const plot = inspector.getByRole('slider', { name: 'Line of the slice' });
  await expect(plot).toHaveAttribute('aria-valuetext', 'element 0: 0');
  await expect(plot.locator('path')).toHaveAttribute('d', /^M0 [\d.]+(L[\d.]+ [\d.]+){9}$/);
  await plot.focus();
  await inspector.keyboard.press('End');
  await expect(plot).toHaveAttribute('aria-valuetext', 'element 9: 9');
  await inspector.getByText('A column', { exact: true }).click();
  await expect(plot).toHaveAttribute('aria-valuetext', 'element 0: 9');
  // A NaN leaves a gap.
  await gpu.buffers.write.value({ id, offset: (3 * 10 + 9) * 4, bytes: Uint8Array.of(0, 0, 0xc0, 0x7f) });
  await expect.poll(async () => (await plot.locator('path').getAttribute('d'))?.match(/M/g)?.length).toBe(2);
  await expect(contents(inspector)).toContainText('1 points are NaN, infinite or not read: gaps.');
  await screenshot(inspector, 'tensor-plot');
});

test('shows memory as a picture, live', async ({ inspector, gpu }) => {
  const [width, height] = [64, 48];
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: width * height * 3, label: 'frame', dtype: 'u8' });
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels.set([x * 4, y * 5, 128], (y * width + x) * 3);
  await gpu.buffers.write.value({ id, offset: 0, bytes: pixels });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('frame', { exact: true }).first().click();
  await inspector.getByRole('tab', { name: 'Image' }).click();
  await field(inspector, 'Width').fill('64');
  await field(inspector, 'Height').fill('48');
  await pick(inspector, 'Channels', '3, RGB');
  await expect(picture(inspector)).toHaveAccessibleName('Picture of the memory, 64 × 48 pixels');

  /** A pixel as it is drawn. */
  const drawn = (x: number, y: number) =>
    picture(inspector)
      .locator('canvas')
      .evaluate(
        (canvas: HTMLCanvasElement, [px, py]) => [...(canvas.getContext('2d')?.getImageData(px, py, 1, 1).data ?? [])],
        [x, y] as const,
      );
  await expect.poll(() => drawn(10, 20)).toEqual([40, 100, 128, 255]);
  await picture(inspector).focus();
  await inspector.keyboard.press('Home');
  for (let i = 0; i < 3; i++) await inspector.keyboard.press('ArrowRight');
  await inspector.keyboard.press('ArrowDown');
  await expect(contents(inspector)).toContainText('x 3, y 1: R 12  G 5  B 128');
  await gpu.buffers.write.value({ id, offset: (1 * width + 3) * 3, bytes: Uint8Array.of(255, 254, 253) });
  await expect(contents(inspector)).toContainText('x 3, y 1: R 255  G 254  B 253');
  await expect.poll(() => drawn(3, 1)).toEqual([255, 254, 253, 255]);

  await inspector.keyboard.press('0');
  await expect(contents(inspector)).toContainText('100 %');
  await inspector.keyboard.press('+');
  await expect(contents(inspector)).toContainText('125 %');
  await inspector.keyboard.press('f');
  await inspector.mouse.move(0, 0);
  await picture(inspector).hover();
  await inspector.mouse.wheel(0, -100);
  await screenshot(inspector, 'image-rgb');
  await inspector.getByRole('button', { name: 'Fit', exact: true }).click();

  // What does not fit is said; the picture before stays.
  await field(inspector, 'Height').fill('49');
  await expect(contents(inspector)).toContainText('The picture ends at byte 9408, the memory at 9216; 48 rows fit.');
  await expect(picture(inspector)).toHaveAccessibleName('Picture of the memory, 64 × 48 pixels');
  await field(inspector, 'Height').fill('48');
  await pick(inspector, 'Order', 'planar');
  await expect.poll(() => drawn(0, 0)).toEqual([pixels[0], pixels[64 * 48], pixels[2 * 64 * 48], 255]);
  await pick(inspector, 'Order', 'interleaved');

  await picture(inspector).focus();
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('Selected 0xc9–0xcb, 3 bytes');
});

test('shows numbers as a picture: range by itself, what is no number marked, large ones thinned out', async ({
  inspector,
  gpu,
}) => {
  const side = 4096;
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes: side * side * 4,
    label: 'field',
    dtype: 'f32',
    fill: { pattern: 'ramp', start: 0, step: 1 },
  });
  await gpu.buffers.write.value({ id, offset: 0, bytes: Uint8Array.of(0, 0, 0xc0, 0x7f) });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('field', { exact: true }).first().click();
  await inspector.getByRole('tab', { name: 'Image' }).click();
  await expect(picture(inspector)).toHaveAccessibleName(/4096 × 4096/);
  await expect(contents(inspector)).toContainText(/1 pixel in \d+ each way, .* read/);
  await expect.poll(async () => Number(await field(inspector, 'to').inputValue())).toBeGreaterThan(1.6e7);
  const first = () =>
    picture(inspector)
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => [...(canvas.getContext('2d')?.getImageData(0, 0, 1, 1).data ?? [])]);
  await expect.poll(first).toEqual([255, 0, 255, 255]);
  await pick(inspector, 'Colours', 'Viridis');
  await screenshot(inspector, 'image-field');
  await gpu.buffers.free.value({ id });
  await expect(contents(inspector)).toContainText('These are the last bytes read');
  expect(await first()).toEqual([255, 0, 255, 255]);
});

test('the smallest memory, and one that is gone', async ({ inspector, gpu }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 1, label: 'flag', dtype: 'f32' });
  await gpu.buffers.write.value({ id, offset: 0, bytes: Uint8Array.of(7) });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('flag', { exact: true }).first().click();
  await inspector.getByRole('tab', { name: 'Tensor' }).click();
  await expect(contents(inspector)).toContainText('The slice has no elements.');
  await inspector.getByText('Plot', { exact: true }).click();
  await expect(contents(inspector)).toContainText('The slice has no elements.');
  await inspector.getByText('Table', { exact: true }).click();
  await pick(inspector, 'Type', 'u8');
  await expect(field(inspector, 'Shape')).toHaveValue('[1]');
  await expect(cell(inspector, 0, 0)).toHaveText('7');
  await inspector.getByRole('tab', { name: 'Image' }).click();
  await expect(picture(inspector)).toHaveAccessibleName('Picture of the memory, 1 × 1 pixels');
  await expect(contents(inspector)).toContainText('x 0, y 0: 7');
  await screenshot(inspector, 'image-smallest');

  // What was read last is still there when the memory is not, in every view that has read it.
  await gpu.buffers.free.value({ id });
  await expect(contents(inspector)).toContainText('These are the last bytes read');
  await inspector.getByRole('tab', { name: 'Tensor' }).click();
  await expect(cell(inspector, 0, 0)).toHaveText('7');
  await expect(table(inspector)).toHaveClass(/is-stale/);
  await inspector.getByRole('tab', { name: 'Image' }).click();
  await expect(contents(inspector)).toContainText('x 0, y 0: 7');
});

test('cells are typed over, in any slice, written when that is said, and taken back', async ({ inspector, gpu }) => {
  const id = await ramp(inspector, gpu);
  await field(inspector, 'Shape').fill('6x8x10');
  // Rows run over the first dimension, columns over the second.
  await field(inspector, 'Slice').fill('[:, :, 2]');
  await expect(cell(inspector, 1, 1)).toHaveText(String(80 + 10 + 2));
  const at = async (index: number): Promise<number | undefined> => {
    const { bytes } = await gpu.memory.read.value({ id, offset: 4 * index, length: 4 });
    return new Float32Array(bytes.slice().buffer)[0];
  };
  await cell(inspector, 1, 1).click();
  await table(inspector).focus();
  await inspector.keyboard.press('e');
  const bar = inspector.getByRole('group', { name: 'Edit', exact: true });
  await expect(bar).toContainText('Editing');
  await expect(table(inspector)).toHaveAttribute('aria-readonly', 'false');
  await inspector.keyboard.type('-1.5');
  await expect(field(inspector, 'f32 at 0x170')).toHaveValue('-1.5');
  await inspector.keyboard.press('Enter');
  // The cell to the right comes next, wherever it lies in memory.
  await expect(table(inspector)).toBeFocused();
  await expect(field(inspector, 'f32 at 0x198')).toBeVisible();
  await inspector.keyboard.type('0.25');
  await inspector.keyboard.press('Enter');
  await expect(cell(inspector, 1, 1)).toHaveText('-1.5');
  await expect(cell(inspector, 1, 2)).toHaveText('0.25');
  await expect(bar).toContainText('8 bytes to write');
  await screenshot(inspector, 'tensor-editing');
  expect(await at(92)).toBe(92);

  await inspector.keyboard.press('Control+z');
  await expect(cell(inspector, 1, 2)).toHaveText('102');
  await inspector.keyboard.press('Control+y');
  await expect(cell(inspector, 1, 2)).toHaveText('0.25');
  await bar.getByRole('button', { name: 'Write' }).click();
  await expect(bar).toContainText('Editing');
  expect([await at(92), await at(102), await at(93)]).toEqual([-1.5, 0.25, 93]);
  await expect(cell(inspector, 1, 1)).toHaveText('-1.5');
  await expect(table(inspector)).toBeFocused();
  // What was written is taken back as an edit that waits.
  await inspector.keyboard.press('Control+z');
  await expect(bar).toContainText('4 bytes to write');
  await expect(cell(inspector, 1, 2)).toHaveText('102');
  await bar.getByRole('button', { name: 'Discard' }).click();
  await expect(cell(inspector, 1, 2)).toHaveText('0.25');
  await inspector.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  // Without the edit mode nothing is typed.
  await inspector.keyboard.type('7');
  expect(await at(92)).toBe(-1.5);
});

test('nothing serious for accessibility, dark and light, large and small', async ({ app, inspector, gpu }) => {
  await ramp(inspector, gpu);
  await field(inspector, 'Shape').fill('6x8x10');
  await contents(inspector).getByRole('switch', { name: 'Heat map' }).click();
  await inEveryLook(app, inspector, async (look) => {
    await inspector.getByRole('tab', { name: 'Tensor' }).click();
    await inspector.getByText('Table', { exact: true }).click();
    await expect(cell(inspector, 1, 0)).toHaveText('10');
    await screenshot(inspector, `tensor-${look}`);
    await expectAccessible(inspector, 'contents');
    await inspector.getByText('Plot', { exact: true }).click();
    await expect(inspector.getByRole('slider', { name: 'Line of the slice' })).toBeVisible();
    await screenshot(inspector, `tensor-plot-${look}`);
    await expectAccessible(inspector, 'contents');
    await inspector.getByRole('tab', { name: 'Image' }).click();
    await expect(picture(inspector)).toBeVisible();
    await screenshot(inspector, `image-${look}`);
    await expectAccessible(inspector, 'contents');
  });
});

test('orders in memory are chosen by name', async ({ inspector, gpu }) => {
  await ramp(inspector, gpu);
  const choose = async (name: string) => {
    await contents(inspector).getByRole('button', { name: 'Orders in memory' }).click();
    await inspector.getByRole('menuitem', { name }).click();
  };
  await field(inspector, 'Shape').fill('[2, 3, 4, 5]');
  await expect(cell(inspector, 1, 2)).toHaveText('7');
  await choose('Channels last');
  await expect(field(inspector, 'Strides')).toHaveValue('[60, 1, 15, 3]');
  await expect(cell(inspector, 1, 2)).toHaveText(String(15 + 2 * 3));
  await choose('Row by row');
  await expect(field(inspector, 'Strides')).toHaveValue('');
  await expect(cell(inspector, 1, 2)).toHaveText('7');
  await field(inspector, 'Shape').fill('[4, 5]');
  await choose('Column by column');
  await expect(cell(inspector, 1, 2)).toHaveText(String(1 + 2 * 4));
  await expect(contents(inspector)).toContainText('column by column');
});

test('Go to a place in another slice shows that slice', async ({ inspector, gpu }) => {
  await ramp(inspector, gpu);
  await field(inspector, 'Shape').fill('6x8x10');
  await expect(field(inspector, 'Slice')).toHaveValue('[0, :, :]');
  await field(inspector, 'Go to offset, element or expression').fill('[4*80 + 37]');
  await inspector.keyboard.press('Enter');
  await expect(field(inspector, 'Slice')).toHaveValue('[4, :, :]');
  await expect(table(inspector).locator('[aria-selected="true"]')).toHaveText('357');
  // The slice is chosen by hand again, whatever was jumped to.
  await field(inspector, 'Slice').fill('[1, :, :]');
  await expect(cell(inspector, 0, 0)).toHaveText('80');
  await expect(field(inspector, 'Slice')).toHaveValue('[1, :, :]');
});

test('a line is gone along by the wheel and by pages', async ({ inspector, gpu }) => {
  await ramp(inspector, gpu);
  await expect(field(inspector, 'Shape')).toHaveValue('[480]');
  await cell(inspector, 0, 0).hover();
  await inspector.mouse.wheel(0, 100);
  await expect(cell(inspector, 0, 0)).toHaveText('3');
  await inspector.mouse.wheel(0, -100);
  await expect(cell(inspector, 0, 0)).toHaveText('0');
  await table(inspector).focus();
  await inspector.keyboard.press('PageDown');
  const chosen = table(inspector).locator('[aria-selected="true"]');
  await expect.poll(async () => Number(await chosen.textContent())).toBeGreaterThan(2);
  await inspector.keyboard.press('PageUp');
  await expect(chosen).toHaveText('0');
});
