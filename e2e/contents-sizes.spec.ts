/** What fits where: bytes of a row, the map's words, the card's, and the editor of a format. */
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import { expect, screenshot, test } from './harness/test';
import { resize } from './harness/window';

test.describe.configure({ timeout: 60_000 });

const bytesGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Bytes' });
const card = (page: Page): Locator => page.getByRole('region', { name: /^Value under the/ });

async function buffer(page: Page, gpu: Api, dtype: 'f32' | 'bool' = 'f32'): Promise<string> {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 64 * 1024, label: 'sizes', dtype });
  await page.getByRole('grid', { name: 'Handles' }).getByText('sizes', { exact: true }).first().click();
  await expect(bytesGrid(page)).toBeVisible();
  return id;
}

test('a window of 1400 pixels shows 16 bytes a row beside the map and the card, and the map’s words on one line', async ({
  app,
  inspector,
  gpu,
}) => {
  await buffer(inspector, gpu);
  await resize(app, 1400, 900);
  await expect(card(inspector)).toBeVisible();
  // Offset, 16 bytes, text.
  await expect(bytesGrid(inspector).getByRole('columnheader')).toHaveCount(18);
  const labels = inspector.locator('.map-strip > .num');
  await expect(labels).toHaveText(['0', '64 KiB']);
  const [zero, end] = await labels.evaluateAll((all) => all.map((label) => label.getBoundingClientRect().height));
  expect(end).toBe(zero);
  await screenshot(inspector, 'contents-1400');
});

test('the card says of a byte that is neither 0 nor 1 that it is true, and which it is', async ({ inspector, gpu }) => {
  const id = await buffer(inspector, gpu, 'bool');
  const truth = card(inspector).getByRole('button', { name: /truth value/ });
  await expect(truth).toHaveText('false');
  await gpu.buffers.write.value({ id, offset: 0, bytes: Uint8Array.of(84) });
  await expect(truth).toHaveText('true (84)');
  await gpu.buffers.write.value({ id, offset: 0, bytes: Uint8Array.of(1) });
  await expect(truth).toHaveText('true');
});

test('Structure begins with the values of the memory, and its editor takes the size it is given', async ({
  app,
  inspector,
  gpu,
}) => {
  await buffer(inspector, gpu);
  await inspector.getByRole('tab', { name: 'Structure' }).click();
  const editor = inspector.getByRole('textbox', { name: 'Format', exact: true });
  await expect(editor).toHaveValue(/All of this memory, as f32[\s\S]*f32\[\];/);
  const tree = inspector.getByRole('treegrid', { name: 'Values of the structure' });
  await expect(tree).toContainText('f32[16384]');
  await screenshot(inspector, 'structure-neutral');

  const width = () => editor.evaluate((element) => element.closest('.fmt')?.getBoundingClientRect().width ?? 0);
  const splitter = inspector.getByRole('separator', { name: 'Width of the format' });
  const before = await width();
  await splitter.focus();
  await inspector.keyboard.press('ArrowRight');
  await inspector.keyboard.press('ArrowRight');
  await expect.poll(width).toBeCloseTo(before + 32, 0);
  const box = await splitter.boundingBox();
  if (box === null) throw new Error('the splitter has no box');
  await inspector.mouse.move(box.x, box.y + 20);
  await inspector.mouse.down();
  await inspector.mouse.move(box.x - 80, box.y + 20, { steps: 4 });
  await inspector.mouse.up();
  await expect.poll(width).toBeCloseTo(before - 48, 0);
  // Another view and back: it is as it was.
  await inspector.getByRole('tab', { name: 'Bytes' }).click();
  await inspector.getByRole('tab', { name: 'Structure' }).click();
  await expect.poll(width).toBeCloseTo(before - 48, 0);
  await splitter.focus();
  await inspector.keyboard.press('Home');
  await expect.poll(width).toBeCloseTo(before, 0);

  // Below each other where there is no room: then it has a height.
  await resize(app, 1024, 700);
  const level = inspector.getByRole('separator', { name: 'Height of the format' });
  await expect(level).toBeVisible();
  await expect(splitter).toBeHidden();
  const height = () => editor.evaluate((element) => element.closest('.fmt')?.getBoundingClientRect().height ?? 0);
  const tall = await height();
  await level.focus();
  await inspector.keyboard.press('ArrowDown');
  await expect.poll(height).toBeCloseTo(tall + 16, 0);
  await screenshot(inspector, 'structure-narrow');
});
