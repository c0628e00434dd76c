/** Changes in the Inspector window: a snapshot and the memory now, windows of a memory, and memory that goes away. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import { expect, realDriver, screenshot, test } from './harness/test';
import { inEveryLook, resize } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const part = (page: Page, name: 'Snapshots' | 'Compare'): Locator =>
  contents(page).getByRole('region', { name, exact: true });
const places = (page: Page): Locator => contents(page).getByRole('listbox', { name: 'Differences' });
const bytesGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Bytes' });
const foot = (page: Page): Locator => contents(page).locator('footer');

async function ownBuffer(page: Page, gpu: Api, bytes = 64 * 1024): Promise<string> {
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes,
    label: 'activations',
    dtype: 'f32',
    fill: { pattern: 'ramp', start: 1, step: 1 },
  });
  await page.getByRole('grid', { name: 'Handles' }).getByText('activations', { exact: true }).first().click();
  await expect(bytesGrid(page)).toBeVisible();
  return id;
}

const write = (gpu: Api, id: string, offset: number, ...values: number[]) =>
  gpu.buffers.write.value({ id, offset, bytes: Uint8Array.from(values) });

/** Takes a snapshot by keys, from the bytes. */
async function snapshot(page: Page, name: string): Promise<void> {
  await bytesGrid(page).focus();
  await page.keyboard.press('s');
  const field = page.getByLabel('Name of the snapshot');
  await expect(field).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await expect(part(page, 'Snapshots').getByRole('listitem').filter({ hasText: name })).toBeVisible();
}

test('a snapshot and the memory now: equal, then where they differ, and both sides of it', async ({
  inspector,
  gpu,
}) => {
  const id = await ownBuffer(inspector, gpu);
  await snapshot(inspector, 'before');
  await expect(part(inspector, 'Snapshots')).toContainText('64.0 KiB of');
  const compare = part(inspector, 'Compare').getByRole('button', { name: 'Compare 64.0 KiB' });
  await compare.click();
  await expect(part(inspector, 'Compare')).toContainText('65,536 bytes compared');

  await write(gpu, id, 0x20, 0xaa, 0xbb);
  await write(gpu, id, 0x8000, 0xcc);
  await compare.click();
  await expect(part(inspector, 'Compare')).toContainText('3 bytes differ');
  await expect(part(inspector, 'Compare')).toContainText('In 2 places, first at 0x20');
  await places(inspector).focus();
  await inspector.keyboard.press('ArrowDown');
  const both = contents(inspector).getByRole('table', { name: 'Both sides' });
  await expect(both.getByRole('row').nth(1)).toContainText('0x20');
  await expect(both.getByRole('cell').nth(1)).toHaveText('aabb');
  await inspector.keyboard.press('ArrowDown');
  await expect(both.getByRole('cell').nth(1)).toHaveText('cc');
  // Enter shows the place in the bytes; the way back leads to the one before.
  await inspector.keyboard.press('Enter');
  await expect(bytesGrid(inspector)).toBeVisible();
  await expect(foot(inspector)).toContainText('At 0x8000');
  await inspector.keyboard.press('Alt+ArrowLeft');
  await expect(foot(inspector)).toContainText('0x20');
  await gpu.buffers.free.value({ id });
});

test('keys go on where a view has nothing to choose, and after work was cancelled', async ({ inspector, gpu }) => {
  test.skip(realDriver, 'a GPU is done before anybody could cancel');
  await ownBuffer(inspector, gpu, 4 * 2 ** 30);
  await bytesGrid(inspector).focus();
  await inspector.keyboard.press('6');
  await expect(contents(inspector)).toContainText('Reads all 4.00 GiB');
  await inspector.keyboard.press('7');
  await expect(part(inspector, 'Snapshots')).toBeVisible();
  await inspector.keyboard.press('s');
  await expect(inspector.getByLabel('Name of the snapshot')).toBeFocused();
  await inspector.keyboard.press('Enter');
  await part(inspector, 'Snapshots').getByRole('button', { name: 'Cancel' }).focus();
  await inspector.keyboard.press('Enter');
  await expect(part(inspector, 'Snapshots')).toContainText('None yet');
  await inspector.keyboard.press('1');
  await expect(bytesGrid(inspector)).toBeFocused();
});

test('what changed is said beside the tools, all of which stay in reach', async ({ app, inspector, gpu }) => {
  const id = await ownBuffer(inspector, gpu);
  const edit = contents(inspector).getByRole('button', { name: 'Edit', exact: true });
  for (const [width, height] of [
    [1440, 900],
    [1024, 700],
  ] as const) {
    await resize(app, width, height);
    // The second comes in the place of the first after some seconds.
    for (const said of ['3 bytes changed', 'No change for']) {
      if (said.startsWith('3')) await write(gpu, id, 0x20, width % 251, width % 241, width % 239);
      await expect(contents(inspector).getByRole('toolbar')).toContainText(said, { timeout: 20_000 });
      const fits = () =>
        edit.evaluate((button) => {
          const { left, right } = (button.closest('[role="toolbar"]') as Element).getBoundingClientRect();
          const at = button.getBoundingClientRect();
          return left <= at.left && at.right <= right;
        });
      expect(await fits()).toBe(true);
    }
  }
});

test('a window of the memory, dropping with a question, and what is left when the memory goes', async ({
  inspector,
  gpu,
}) => {
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'other', dtype: 'u8' });
  const id = await ownBuffer(inspector, gpu);
  await inspector.getByLabel('Go to offset, element or expression').fill('0x100');
  await inspector.keyboard.press('Enter');
  await bytesGrid(inspector).focus();
  for (let i = 0; i < 15; i++) await inspector.keyboard.press('Shift+ArrowRight');
  await inspector.keyboard.press('7');
  await part(inspector, 'Snapshots')
    .getByRole('combobox', { name: /^Snapshot of/ })
    .click();
  await inspector.getByRole('option', { name: /^selection at 0x100/ }).click();
  await inspector.getByLabel('Name of the snapshot').fill('header');
  await part(inspector, 'Snapshots').getByRole('button', { name: 'Take 16 B' }).click();
  await expect(part(inspector, 'Snapshots')).toContainText('16 B from 0x100');
  await write(gpu, id, 0x104, 0xff);
  await part(inspector, 'Snapshots').getByRole('button', { name: 'Compare header with the memory now' }).click();
  await expect(part(inspector, 'Compare')).toContainText('1 byte differs');
  await expect(part(inspector, 'Compare')).toContainText('From 0x0 of the first and 0x100 of the second on.');
  await places(inspector).focus();
  await inspector.keyboard.press('ArrowDown');
  await expect(foot(inspector)).toContainText('At 0x104');

  // The memory goes; the snapshot stays, and says of what it is.
  await gpu.buffers.free.value({ id });
  await expect(contents(inspector)).toContainText('Inspector freed activations');
  await expect(part(inspector, 'Snapshots')).toContainText('The memory cannot be read any more');
  // A freed buffer leaves the table after a while: the rest is done beside another one.
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('other', { exact: true }).click();
  await expect(part(inspector, 'Snapshots')).toContainText('activations, 16 B from 0x100');
  const drop = part(inspector, 'Snapshots').getByRole('button', { name: 'Drop header' });
  await drop.click();
  await inspector.keyboard.press('Enter');
  await expect(part(inspector, 'Snapshots')).toContainText('header');
  await drop.click();
  await part(inspector, 'Snapshots').getByRole('button', { name: 'Drop', exact: true }).click();
  await expect(part(inspector, 'Snapshots')).toContainText('None yet');
});

test('nothing serious for accessibility, dark and light, large and small, empty and full', async ({
  app,
  inspector,
  gpu,
}) => {
  const id = await ownBuffer(inspector, gpu);
  await inspector.getByRole('tab', { name: 'Changes' }).click();
  await expect(contents(inspector)).toContainText('Nothing compared yet');
  const check = async () => {
    const results = await new AxeBuilder({ page: inspector }).setLegacyMode().include('.contents').analyze();
    expect(results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
  };
  await check();
  // One above the other in the smallest window with a long table, each as high as what it holds.
  await resize(app, 1024, 640);
  const others = await Promise.all(
    Array.from({ length: 9 }, () => gpu.buffers.create.value({ device: 0, bytes: 4096 })),
  );
  await expect(inspector.getByRole('grid', { name: 'Handles' })).toHaveAttribute('aria-rowcount', '11');
  const fits = (element: Element) => element.scrollHeight <= element.clientHeight;
  expect(await part(inspector, 'Snapshots').evaluate(fits)).toBe(true);
  for (const other of others) await gpu.buffers.free.value({ id: other.id });
  await inspector.getByRole('tab', { name: 'Bytes' }).click();
  await snapshot(inspector, 'before');
  for (let i = 0; i < 40; i++) await write(gpu, id, i * 256, 0xee, 0xdd);
  await part(inspector, 'Compare').getByRole('button', { name: 'Compare 64.0 KiB' }).click();
  await expect(part(inspector, 'Compare')).toContainText('bytes differ');
  await places(inspector).focus();
  await inspector.keyboard.press('ArrowDown');
  await inspector.mouse.move(0, 0);
  await inEveryLook(app, inspector, async (look) => {
    await check();
    await screenshot(inspector, `contents-changes-${look}`);
  });
  await gpu.buffers.free.value({ id });
});
