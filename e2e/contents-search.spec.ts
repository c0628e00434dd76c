/** Finding things in the whole memory: search, the map, bookmarks, and the way back. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import { expect, realDriver, screenshot, test } from './harness/test';
import { inEveryLook, resize } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const bytesGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Bytes' });
const foot = (page: Page): Locator => contents(page).locator('footer');
const bar = (page: Page): Locator => page.getByRole('search', { name: 'Find in the contents' });
const marks = (page: Page): Locator => page.getByRole('region', { name: 'Bookmarks', exact: true });
const map = (page: Page): Locator => contents(page).getByRole('slider', { name: /^Map of/ });
const gotoField = (page: Page): Locator => page.getByLabel('Go to offset, element or expression');
const encoder = new TextEncoder();

const SIZE = 256 * 1024;

/** 256 KiB of f32 zeros with a text, some numbers, two NaN and an infinity, selected. */
async function buffer(page: Page, gpu: Api, label = 'activations'): Promise<string> {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: SIZE, label, dtype: 'f32' });
  const put = (offset: number, bytes: Uint8Array<ArrayBuffer>) => gpu.buffers.write.value({ id, offset, bytes });
  await put(0x100, encoder.encode('Hello'));
  await put(0x9000, encoder.encode('Hallo'));
  await put(0x20000, encoder.encode('Hello'));
  const floats = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer);
  await put(0x8000, floats(Number.NaN, 0.1, Number.NaN, Number.POSITIVE_INFINITY));
  await page.getByRole('grid', { name: 'Handles' }).getByText(label, { exact: true }).last().click();
  await expect(bytesGrid(page)).toBeVisible();
  return id;
}

async function find(page: Page, form: string): Promise<void> {
  await page.keyboard.press('Control+f');
  await bar(page).getByRole('combobox', { name: /^Find/ }).click();
  await page.getByRole('option', { name: form, exact: true }).click();
  await page.keyboard.press('Control+f');
}

test('bytes with wildcards: next, previous, round the end, and how many there are', async ({ inspector, gpu }) => {
  await buffer(inspector, gpu);
  await bytesGrid(inspector).focus();
  await inspector.keyboard.press('Control+f');
  await expect(bar(inspector).getByLabel('Bytes to find')).toBeFocused();
  await inspector.keyboard.type('48 ?? 6c 6c 6f');
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('Selected 0x100–0x104');
  await expect(bar(inspector)).toContainText('1 of 3');
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('Selected 0x9000–0x9004');
  await inspector.keyboard.press('F3');
  await expect(bar(inspector)).toContainText('3 of 3');
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('from the beginning again');
  await expect(bar(inspector)).toContainText('1 of 3');
  await inspector.keyboard.press('Shift+Enter');
  await expect(foot(inspector)).toContainText('from the end again');
  await expect(foot(inspector)).toContainText('Selected 0x20000');

  // The list: arrows go from hit to hit, Enter leaves it for the bytes.
  await bar(inspector).getByRole('button', { name: 'List' }).click();
  const hits = inspector.getByRole('listbox', { name: 'Hits' });
  await hits.focus();
  await inspector.keyboard.press('Home');
  await expect(foot(inspector)).toContainText('Selected 0x100–0x104');
  await inspector.keyboard.press('Enter');
  await expect(bytesGrid(inspector)).toBeFocused();

  // Every jump has its way back.
  await inspector.keyboard.press('Alt+ArrowLeft');
  await expect(foot(inspector)).toContainText('At 0x20000');
  await inspector.keyboard.press('Alt+ArrowRight');
  await expect(foot(inspector)).toContainText('At 0x100');
  await inspector.keyboard.press('Control+f');
  await inspector.keyboard.press('Escape');
  await expect(bar(inspector)).toBeHidden();
  await expect(bytesGrid(inspector)).toBeFocused();
});

test('text, values, ranges, NaN and Inf; what is not understood says where', async ({ inspector, gpu }) => {
  const id = await buffer(inspector, gpu);
  await find(inspector, 'Text');
  await inspector.keyboard.type('Hallo');
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('Selected 0x9000–0x9004');

  await find(inspector, 'Value');
  await inspector.keyboard.type('0.1');
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('Selected 0x8004–0x8007');
  await expect(bar(inspector)).toContainText('1 of 1');
  await inspector.keyboard.press('Control+f');
  await inspector.keyboard.type('0.1x');
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText('“x” is not part of a number. Character 4.');
  const selected = () =>
    bar(inspector)
      .getByLabel('Value to find')
      .evaluate((input) => [(input as HTMLInputElement).selectionStart, (input as HTMLInputElement).selectionEnd]);
  expect(await selected()).toEqual([3, 4]);

  await find(inspector, 'Range');
  await inspector.keyboard.type('0.05 to 0.2');
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText('1 of 1');

  await find(inspector, 'NaN');
  await bar(inspector).getByRole('button', { name: 'Next hit' }).click();
  await expect(bar(inspector)).toContainText('2 of 2');
  await expect(foot(inspector)).toContainText('Selected 0x8008–0x800b');
  await find(inspector, 'Inf');
  await bar(inspector).getByRole('button', { name: 'Next hit' }).click();
  await expect(foot(inspector)).toContainText('Selected 0x800c–0x800f');
  await bar(inspector).getByRole('combobox', { name: /^Type/ }).click();
  await inspector.getByRole('option', { name: 'i32', exact: true }).click();
  await bar(inspector).getByRole('button', { name: 'Next hit' }).click();
  await expect(bar(inspector)).toContainText('i32 has no Inf: choose a float type.');

  await find(inspector, 'Bytes');
  await inspector.keyboard.type('de ad be ef');
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText('Nothing found in 262,144 B');
  // What was not there comes: the next look finds it.
  await gpu.buffers.write.value({ id, offset: 0x3000, bytes: Uint8Array.of(0xde, 0xad, 0xbe, 0xef) });
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('Selected 0x3000–0x3003');
  await expect(bar(inspector)).toContainText('1 of 1');
});

test('N goes to what is no finite number, from the bytes', async ({ inspector, gpu }) => {
  await buffer(inspector, gpu);
  await bytesGrid(inspector).focus();
  for (const place of ['0x8000', '0x8008', '0x800c', '0x8000']) {
    await inspector.keyboard.press('n');
    await expect(foot(inspector)).toContainText(`NaN or Inf at ${place}`);
  }
  await expect(foot(inspector)).toContainText('from the beginning again');
  await inspector.keyboard.press('Shift+N');
  await expect(foot(inspector)).toContainText('NaN or Inf at 0x800c');
});

test('bookmarks: set, noted, gone to, removed, taken back; kept for the label and size', async ({ inspector, gpu }) => {
  const id = await buffer(inspector, gpu);
  await gotoField(inspector).fill('0x9000');
  await inspector.keyboard.press('Enter');
  await inspector.keyboard.press('Control+b');
  await expect(inspector.getByLabel('Note of 0x9000')).toBeFocused();
  await inspector.keyboard.type('greeting');
  await inspector.keyboard.press('Enter');
  await expect(bytesGrid(inspector)).toBeFocused();
  const row = bytesGrid(inspector).getByRole('rowheader', { name: '00009000' });
  await expect(row).toHaveAttribute('title', 'greeting');
  await expect(row).toHaveClass(/mark-blue/);
  await gotoField(inspector).fill('0x100');
  await inspector.keyboard.press('Enter');
  await inspector.keyboard.press('Control+b');
  await inspector.keyboard.press('Enter');
  await expect(marks(inspector)).toContainText('2 bookmarks');
  await inspector.keyboard.press('b');
  await expect(foot(inspector)).toContainText('At 0x9000');
  await inspector.keyboard.press('b');
  await expect(foot(inspector)).toContainText('At 0x100');
  await marks(inspector)
    .getByRole('combobox', { name: /^Colour of 0x9000/ })
    .click();
  await inspector.getByRole('option', { name: 'orange' }).click();
  await marks(inspector).getByRole('button', { name: 'Remove the bookmark at 0x100' }).click();
  await expect(marks(inspector)).toContainText('1 bookmark');
  await marks(inspector).getByRole('button', { name: 'Undo' }).click();
  await expect(marks(inspector)).toContainText('2 bookmarks');

  // A new memory of the same label and size has them, as it has in another run of the app.
  await gpu.buffers.free.value({ id });
  await gpu.buffers.create.value({ device: 0, bytes: SIZE, label: 'other', dtype: 'f32' });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('other', { exact: true }).click();
  await expect(marks(inspector)).toContainText('No bookmarks');
  await buffer(inspector, gpu, 'activations');
  await expect(marks(inspector)).toContainText('2 bookmarks');
  await expect(inspector.getByLabel('Note of 0x9000')).toHaveValue('greeting');
});

test('the map: what is where, going there by mouse and keys, hidden and shown', async ({ inspector, gpu }) => {
  await buffer(inspector, gpu);
  // It was made when the buffer was new: what was written since is in the next one.
  await contents(inspector)
    .getByRole('button', { name: /^Map, taken/ })
    .click();
  await inspector.getByRole('menuitem', { name: /^Make the map again/ }).click();
  await expect(map(inspector)).toHaveAccessibleName(/99 % of its parts are zero, NaN or infinity in 1 of 512 parts/);
  const box = await map(inspector).boundingBox();
  if (box === null) throw new Error('the map has no place');
  await inspector.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const half = Number((await map(inspector).getAttribute('aria-valuenow')) ?? 0);
  expect(Math.abs(half - SIZE / 2)).toBeLessThan(SIZE / 50);
  await map(inspector).focus();
  await inspector.keyboard.press('End');
  await expect(foot(inspector)).toContainText('At 0x3ffff');
  await inspector.keyboard.press('Home');
  await expect(foot(inspector)).toContainText('At 0x0');
  await inspector.keyboard.press('PageDown');
  await expect(foot(inspector)).toContainText('At 0x6660');
  await bytesGrid(inspector).focus();
  await inspector.keyboard.press('m');
  await expect(map(inspector)).toBeHidden();
  await inspector.keyboard.press('m');
  await expect(map(inspector)).toBeVisible();
});

test('a search of large memory is cancelled, and the view is as it was', async ({ app, inspector, gpu }) => {
  test.skip(realDriver, 'a GPU searches 4 GiB in less time than it takes to cancel');
  await resize(app, 1024, 700);
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4 * 2 ** 30, label: 'large', dtype: 'u8' });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('large', { exact: true }).first().click();
  await expect(bytesGrid(inspector)).toBeVisible();
  await expect(map(inspector)).toHaveAccessibleName(/not made yet/);
  await inspector.keyboard.press('Control+f');
  await inspector.keyboard.type('01 02 03 04');
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText('Searching…');
  await expect(bar(inspector).getByRole('button', { name: 'Cancel' })).toBeInViewport({ ratio: 1 });
  await expect(bar(inspector).getByRole('button', { name: 'Close the search' })).toBeInViewport({ ratio: 1 });
  await bar(inspector).getByRole('button', { name: 'Cancel' }).click();
  await expect(bar(inspector)).not.toContainText('Searching…');
  await foot(inspector).getByRole('button', { name: 'Cancel' }).click();
  await expect(foot(inspector)).toContainText('At 0x0');
  await expect(bytesGrid(inspector)).toBeVisible();
  await gpu.buffers.free.value({ id });
});

test('nothing serious for accessibility, dark and light, large and small', async ({ app, inspector, gpu }) => {
  await buffer(inspector, gpu);
  await inspector.keyboard.press('Control+b');
  await inspector.keyboard.type('header');
  await inspector.keyboard.press('Enter');
  await inspector.keyboard.press('Control+f');
  await inspector.keyboard.type('48 ?? 6c 6c 6f');
  await inspector.keyboard.press('Enter');
  await bar(inspector).getByRole('button', { name: 'List' }).click();
  await expect(bar(inspector)).toContainText('of 3');
  await inspector.mouse.move(0, 0);
  await inEveryLook(app, inspector, async (look) => {
    const results = await new AxeBuilder({ page: inspector }).setLegacyMode().include('.contents').analyze();
    expect(results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await screenshot(inspector, `contents-search-${look}`);
  });
});

test('values and ranges in big-endian memory', async ({ inspector, gpu }) => {
  const id = await buffer(inspector, gpu);
  const put = async (offset: number, value: number): Promise<void> => {
    const one = new Uint8Array(4);
    new DataView(one.buffer).setFloat32(0, value);
    await gpu.buffers.write.value({ id, offset, bytes: one });
  };
  await put(0x400, 1.5);
  await put(0x501, 1.5);
  await put(0x1000, 2.25);
  await inspector.getByRole('tab', { name: 'Values' }).click();
  await inspector.getByRole('radiogroup', { name: 'Byte order of the values' }).getByText('BE').click();
  await find(inspector, 'Value');
  await inspector.keyboard.type('1.5');
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('0x400');
  await expect(bar(inspector)).toContainText('1 of 1');
  await expect(bar(inspector)).toContainText('Big-endian');
  await find(inspector, 'Range');
  await inspector.keyboard.type('1 to 3');
  await inspector.keyboard.press('Enter');
  await expect(bar(inspector)).toContainText('1 of 2');
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('0x1000');
  await expect(bar(inspector)).toContainText('read by the CPU');
});
