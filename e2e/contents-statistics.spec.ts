/** Statistics in the Inspector window: what the numbers are, how old they are, and the way to the values behind them. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import { expect, realDriver, screenshot, test } from './harness/test';
import { inEveryLook } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const part = (page: Page, name: string): Locator => contents(page).getByRole('region', { name, exact: true });
const number = (page: Page, table: 'Summary' | 'Counts', name: string): Locator =>
  contents(page)
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) });
const histogram = (page: Page): Locator => contents(page).getByRole('slider', { name: /^Histogram of/ });
const foot = (page: Page): Locator => contents(page).locator('footer');
const bytesGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Bytes' });

const floatsOf = (values: readonly number[]) => new Uint8Array(new Float32Array(values).buffer);

/** 1,024 f32: ramp from 0 to 1,015, then zeros, two NaN side by side, both infinities, a denormal, −5. Selected. */
async function buffer(page: Page, gpu: Api): Promise<string> {
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes: 4096,
    label: 'gradients',
    dtype: 'f32',
    fill: { pattern: 'ramp', start: 0, step: 1 },
  });
  const last = [0, 0, Number.NaN, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-40, -5];
  await gpu.buffers.write.value({ id, offset: 4096 - 32, bytes: floatsOf(last) });
  await page.getByRole('grid', { name: 'Handles' }).getByText('gradients', { exact: true }).first().click();
  await expect(bytesGrid(page)).toBeVisible();
  return id;
}

async function statistics(page: Page): Promise<void> {
  await bytesGrid(page).focus();
  await page.keyboard.press('6');
  await expect(page.getByRole('tab', { name: 'Statistics' })).toHaveAttribute('aria-selected', 'true');
}

test('all numbers of the whole buffer, its histogram by keys, the checksum copied', async ({ app, inspector, gpu }) => {
  const id = await buffer(inspector, gpu);
  await statistics(inspector);
  await expect(number(inspector, 'Summary', 'Values')).toContainText('1,024');
  await expect(number(inspector, 'Summary', 'Minimum')).toContainText('-Inf');
  await expect(number(inspector, 'Summary', 'Maximum')).toContainText('Inf');
  // 0 … 1015 is 515,620; with −5 and the denormal, of 1,020 finite values.
  await expect(number(inspector, 'Summary', 'Mean')).toContainText(String(Number((515_615 / 1020).toPrecision(12))));
  for (const [name, held] of [
    ['Zeros', '3'],
    ['Negatives', '2'],
    ['Denormals', '1'],
    ['NaN', '2'],
    ['Inf', '2'],
  ] as const) {
    await expect(number(inspector, 'Counts', name).getByRole('cell').nth(1)).toHaveText(held);
  }
  const { checksum } = await gpu.contents.statistics.value({ id, dtype: 'u8' });
  await expect(number(inspector, 'Summary', 'Checksum')).toContainText(checksum);
  await inspector.getByRole('button', { name: 'Copy the checksum' }).click();
  expect(await app.electron.evaluate(({ clipboard }) => clipboard.readText())).toBe(checksum);

  await histogram(inspector).focus();
  await inspector.keyboard.press('Home');
  await expect(histogram(inspector)).toHaveAttribute('aria-valuetext', /^Bin 1, −5 to .*: \d+ values$/);
  await inspector.keyboard.press('End');
  await expect(histogram(inspector)).toHaveAttribute('aria-valuetext', /^Bin \d+, .* to 1,015: \d+ values$/);
  // Enter goes to the next value of the bin.
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('Selected 0xf');
  await part(inspector, 'Histogram').getByText('Linear').click();
  await expect(part(inspector, 'Histogram').getByRole('radio', { name: 'Linear' })).toBeChecked();
});

test('the way to the values: next, listed, shown in the bytes, and back', async ({ inspector, gpu }) => {
  await buffer(inspector, gpu);
  await statistics(inspector);
  await part(inspector, 'Counts').getByRole('button', { name: 'Next Inf' }).click();
  await expect(foot(inspector)).toContainText('Inf at 0xff0');
  await part(inspector, 'Counts').getByRole('button', { name: 'Next Inf' }).click();
  await expect(foot(inspector)).toContainText('Inf at 0xff4');
  await part(inspector, 'Counts').getByRole('button', { name: 'Next denormal' }).click();
  await expect(foot(inspector)).toContainText('denormal at 0xff8');
  await part(inspector, 'Summary').getByRole('button', { name: 'Go to the minimum' }).click();
  await expect(foot(inspector)).toContainText('Minimum at 0xff4');
  await part(inspector, 'Where they are').getByText('NaN', { exact: true }).click();
  const list = inspector.getByRole('listbox', { name: 'Places of NaN' });
  await expect(list.getByRole('option')).toHaveText([/0xfe8.*2 values/]);
  await list.focus();
  await inspector.keyboard.press('ArrowDown');
  await expect(foot(inspector)).toContainText('Selected 0xfe8–0xfef');
  await inspector.keyboard.press('Enter');
  await expect(bytesGrid(inspector)).toBeVisible();
  await inspector.keyboard.press('Alt+ArrowLeft');
  await expect(foot(inspector)).toContainText('At 0xff4');
});

test('another range or type has its own numbers; old ones say that they are', async ({ inspector, gpu }) => {
  const id = await buffer(inspector, gpu);
  await bytesGrid(inspector).focus();
  for (let i = 0; i < 15; i++) await inspector.keyboard.press('Shift+ArrowRight');
  await statistics(inspector);
  await expect(number(inspector, 'Summary', 'Values')).toContainText('1,024');
  await contents(inspector)
    .getByRole('combobox', { name: /^Range/ })
    .click();
  await inspector.getByRole('option', { name: /^selection at 0x0/ }).click();
  await expect(number(inspector, 'Summary', 'Values')).toContainText('4');
  await expect(number(inspector, 'Summary', 'Maximum')).toContainText('3');
  await contents(inspector).getByRole('combobox', { name: /^Type/ }).click();
  await inspector.getByRole('option', { name: 'u8', exact: true }).click();
  await expect(number(inspector, 'Summary', 'Values')).toContainText('16');
  await expect(number(inspector, 'Counts', 'NaN')).toContainText('u8 has none');

  // A byte that is seen to change makes the numbers old; R computes them again.
  await expect(contents(inspector)).not.toContainText('changed since');
  await gpu.buffers.write.value({ id, offset: 0, bytes: Uint8Array.of(0xfe) });
  await expect(contents(inspector)).toContainText('changed since');
  await expect(number(inspector, 'Summary', 'Maximum')).not.toContainText('254');
  await contents(inspector)
    .locator('[data-area="memory"]')
    .first()
    .click({ position: { x: 5, y: 5 } });
  await histogram(inspector).focus();
  await inspector.keyboard.press('r');
  await expect(number(inspector, 'Summary', 'Maximum')).toContainText('254');
  await expect(contents(inspector)).not.toContainText('changed since');

  // Repeated, they follow by themselves.
  await contents(inspector)
    .getByRole('combobox', { name: /^Repeat/ })
    .click();
  await inspector.getByRole('option', { name: '1 s', exact: true }).click();
  await gpu.buffers.write.value({ id, offset: 1, bytes: Uint8Array.of(0xff) });
  await expect(number(inspector, 'Summary', 'Maximum')).toContainText('255');

  // The memory goes: the last numbers stay, as the last ones.
  await gpu.buffers.free.value({ id });
  await expect(contents(inspector)).toContainText('Inspector freed gradients');
  await expect(number(inspector, 'Summary', 'Maximum')).toContainText('255');
});

test('large memory waits to be asked for, says how far it is, and can be cancelled', async ({ inspector, gpu }) => {
  test.skip(realDriver, 'A GPU is done before anybody could cancel.');
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4 * 2 ** 30, label: 'kv_cache', dtype: 'bf16' });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('kv_cache', { exact: true }).first().click();
  await expect(bytesGrid(inspector)).toBeVisible();
  await statistics(inspector);
  await expect(contents(inspector)).toContainText('Reads all 4.00 GiB as bf16');
  await contents(inspector).getByRole('button', { name: 'Compute statistics' }).click();
  await expect(contents(inspector)).toContainText('Computing statistics of 4.00 GiB');
  await contents(inspector).getByRole('button', { name: 'Cancel' }).click();
  await expect(contents(inspector)).toContainText('Reads all 4.00 GiB as bf16');
  await expect(number(inspector, 'Summary', 'Values')).toContainText('–');
  // Freed while it is computed: there are no numbers, and none will come.
  await contents(inspector).getByRole('button', { name: 'Compute statistics' }).click();
  await expect(contents(inspector)).toContainText('Computing statistics of 4.00 GiB');
  await gpu.buffers.free.value({ id });
  await expect(contents(inspector)).toContainText('Inspector freed kv_cache');
  await expect(contents(inspector)).toContainText('Nothing was computed while the memory was there.');
  await expect(contents(inspector)).not.toContainText('last bytes read');
});

test('nothing serious for accessibility, dark and light, large and small, empty and full', async ({
  app,
  inspector,
  gpu,
}) => {
  await buffer(inspector, gpu);
  await statistics(inspector);
  await expect(number(inspector, 'Counts', 'NaN')).toContainText('2');
  await inspector.mouse.move(0, 0);
  const check = async () => {
    const results = await new AxeBuilder({ page: inspector }).setLegacyMode().include('.contents').analyze();
    expect(results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
  };
  await inEveryLook(app, inspector, async (look) => {
    await check();
    await screenshot(inspector, `contents-statistics-${look}`);
  });
});

test('of a snapshot: its numbers, its places, also when the memory has others or is gone', async ({
  inspector,
  gpu,
}) => {
  const id = await buffer(inspector, gpu);
  await gpu.contents.snapshot.value({ id, name: 'before', offset: 2048 });
  const { checksum } = await gpu.contents.statistics.value({ id, dtype: 'f32', offset: 2048 });
  await gpu.buffers.fill.value({ id, fill: { pattern: 'zero' } });
  await statistics(inspector);
  await expect(number(inspector, 'Counts', 'Zeros').getByRole('cell').nth(1)).toHaveText('1,024');
  await contents(inspector)
    .getByRole('combobox', { name: /^Range/ })
    .click();
  await inspector.getByRole('option', { name: /^before, snapshot/ }).click();
  await expect(number(inspector, 'Summary', 'Values')).toContainText('512');
  await expect(number(inspector, 'Summary', 'Checksum')).toContainText(checksum);
  await expect(number(inspector, 'Counts', 'NaN').getByRole('cell').nth(1)).toHaveText('2');
  // Its places are those of the memory that it was taken of.
  await part(inspector, 'Counts').getByRole('button', { name: 'Next NaN' }).click();
  await expect(foot(inspector)).toContainText('NaN at 0xfe8');
  await expect(part(inspector, 'Where they are').getByRole('option')).toContainText('0xfe8');
  await screenshot(inspector, 'statistics-snapshot');
  await gpu.buffers.free.value({ id });
  await expect(contents(inspector)).toContainText('Inspector freed gradients');
  await contents(inspector).getByRole('combobox', { name: /^Type/ }).click();
  await inspector.getByRole('option', { name: 'u8', exact: true }).click();
  await expect(number(inspector, 'Summary', 'Values')).toContainText('2,048');
  await expect(number(inspector, 'Summary', 'Checksum')).toContainText(checksum);
});
