/** The Inspector window itself: its first look, rows in order, keys, commands, sizes, themes, and what it remembers. */
import type { Page } from '@playwright/test';
import { exportHandle } from './harness/api';
import { expect, realDriver, screenshot, test } from './harness/test';
import {
  button,
  calls,
  details,
  devices,
  dialog,
  expectAccessible,
  handles,
  resize,
  row,
  theme,
} from './harness/window';

test.describe.configure({ timeout: 120_000 });

const MIB = 2 ** 20;
/** Labels of the rows, from above. */
const labels = (page: Page): Promise<string[]> =>
  handles(page)
    .locator('[data-row]')
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((each) => each.querySelector('b, .twig')?.firstChild?.textContent ?? ''),
    );

test('the first window says what there is, and offers three steps', async ({ inspector }) => {
  await expect(inspector).toHaveTitle(/^GPU IPC Inspector/);
  await expect(devices(inspector).getByRole('button', { name: /^GPU 0/ })).toBeVisible();
  await expect(inspector.getByRole('heading', { name: 'Nothing is shared yet' })).toBeVisible();
  for (const name of ['New buffer', 'New event', 'Import handle', 'New producer', 'New consumer']) {
    await expect(button(inspector, name)).toBeVisible();
  }
  await expect(handles(inspector)).toHaveAttribute('aria-rowcount', '1');
  await expect(details(inspector).getByRole('heading', { name: 'GPU 0' })).toBeVisible();
  for (const way of ['Legacy memory', 'Events', 'Pools, fd', 'Virtual, fd', 'Fabric']) {
    await expect(details(inspector).getByText(new RegExp(`^${way}: (yes|no|unknown)$`))).toBeVisible();
  }
  if (!realDriver) {
    await expect(inspector.getByRole('region', { name: 'Simulated GPU' })).toBeVisible();
    await expect(details(inspector).getByRole('region', { name: 'Why it is simulated' })).toBeVisible();
  }
  for (const name of ['dark', 'light'] as const) {
    await theme(inspector, name);
    await expectAccessible(inspector);
    await screenshot(inspector, `inspector-empty-${name}`);
  }
});

test('rows are filtered, sorted and reached by keys', async ({ inspector, gpu }) => {
  for (const [label, size] of [
    ['gamma', 3],
    ['alpha 10', 1],
    ['alpha 2', 2],
  ] as const) {
    await gpu.buffers.create.value({ device: 0, bytes: size * MIB, label });
  }
  await gpu.events.create.value({ device: 0, label: 'done' });
  await expect(handles(inspector)).toHaveAttribute('aria-rowcount', '5');
  await expect.poll(() => labels(inspector)).toEqual(['alpha 2', 'alpha 10', 'done', 'gamma']);

  const column = (name: string) => handles(inspector).getByRole('columnheader', { name });
  await column('Size').click();
  await column('Size').click();
  await expect(column('Size')).toHaveAttribute('aria-sort', 'descending');
  await expect.poll(() => labels(inspector)).toEqual(['gamma', 'alpha 2', 'alpha 10', 'done']);
  await column('Label').click();

  await handles(inspector).focus();
  await inspector.keyboard.press('Home');
  await expect(row(inspector, /^alpha 2/)).toHaveAttribute('aria-selected', 'true');
  await inspector.keyboard.press('End');
  await expect(row(inspector, /^gamma/)).toHaveAttribute('aria-selected', 'true');
  await inspector.keyboard.press('Home');
  await inspector.keyboard.press('ArrowUp');
  await inspector.keyboard.press('ArrowRight');
  await inspector.keyboard.press('Enter');
  await expect(column('Process')).toHaveAttribute('aria-sort', 'ascending');

  await inspector.keyboard.press('/');
  const filter = inspector.getByRole('searchbox', { name: 'Filter handles' });
  await expect(filter).toBeFocused();
  await filter.fill('kind:buffer alpha');
  await expect(handles(inspector)).toHaveAttribute('aria-rowcount', '3');
  await filter.fill('owner:41999');
  await expect(inspector.getByText('No handle matches “owner:41999”')).toBeVisible();
  await expect(inspector.getByText('4 rows are hidden by the filter.')).toBeVisible();
  await button(inspector, 'Clear it').click();
  await expect(handles(inspector)).toHaveAttribute('aria-rowcount', '5');
  await filter.fill('foo:bar');
  await expect(filter).toHaveAttribute('aria-invalid', 'true');
  await filter.press('Escape');
  await expect(filter).toHaveValue('');
});

test('commands, areas and folding by keys', async ({ app, inspector, gpu }) => {
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'findable' });
  await expect(row(inspector, /^findable/)).toBeVisible();
  await inspector.keyboard.press('Control+k');
  const palette = inspector.getByRole('dialog', { name: 'Commands' });
  await palette.getByRole('combobox').fill('findab');
  await expect(palette.getByRole('option')).toHaveCount(1);
  await inspector.keyboard.press('Enter');
  await expect(row(inspector, /^findable/)).toHaveAttribute('aria-selected', 'true');
  await inspector.keyboard.press('Control+k');
  await palette.getByRole('combobox').fill('new ev');
  await inspector.keyboard.press('Enter');
  await expect(dialog(inspector, 'New event')).toBeVisible();
  await inspector.keyboard.press('Escape');

  await handles(inspector).focus();
  await inspector.keyboard.press('?');
  await expect(dialog(inspector, 'Keyboard')).toContainText('Go to the next area');
  await inspector.keyboard.press('Escape');

  const area = () =>
    inspector.evaluate(() =>
      document.activeElement?.closest('[data-area]:not([data-area] [data-area])')?.getAttribute('data-area'),
    );
  const visited: (string | null | undefined)[] = [];
  for (let turn = 0; turn < 6; turn++) {
    await inspector.keyboard.press('F6');
    visited.push(await area());
  }
  expect(new Set(visited)).toEqual(new Set(['rail', 'handles', 'contents', 'calls', 'details', 'status']));
  const last = await area();
  await inspector.keyboard.press('F6');
  await inspector.keyboard.press('Shift+F6');
  expect(await area()).toBe(last);

  await inspector.keyboard.press('Control+j');
  await expect(button(inspector, 'Unfold the driver calls')).toBeVisible();
  await inspector.keyboard.press('Control+j');
  await expect(button(inspector, 'Fold the driver calls')).toBeVisible();
  await inspector.keyboard.press('Control+i');
  await expect(details(inspector)).toBeHidden();
  await button(inspector, 'Show Details').click();
  await expect(details(inspector)).toBeVisible();
  expect(app.problems).toEqual([]);
});

test('the log stays at the newest call while the window is made small and large', async ({ app, inspector, gpu }) => {
  const log = calls(inspector);
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'first' });
  await resize(app, 1024, 700);
  for (let i = 0; i < 12; i++) await gpu.buffers.create.value({ device: 0, bytes: 4096, label: `buffer ${i}` });
  await resize(app, 1440, 900);
  const newest = button(inspector, 'Newest');
  const left = () => log.evaluate((grid) => grid.scrollHeight - grid.scrollTop - grid.clientHeight);
  await expect.poll(left).toBeLessThan(2);
  await expect(newest).toHaveAttribute('aria-pressed', 'true');
  await resize(app, 1440, 760);
  await expect.poll(left).toBeLessThan(2);
  await expect(newest).toHaveAttribute('aria-pressed', 'true');
});

test('the window is accessible with everything in it, wide and narrow, in both themes', async ({
  app,
  inspector,
  gpu,
}) => {
  test.slow();
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4 * MIB, label: 'activations' });
  const { handle } = await exportHandle(producer.api, { id });
  const consumer = await app.open('consumer');
  await consumer.api.imports.open.value({ handle, device: 0 });
  await gpu.events.create.value({ device: 0, label: 'ready' });
  await row(inspector, /^activations/).click();
  await button(details(inspector), 'Open in Inspector').click();
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toBeVisible();
  for (const name of ['dark', 'light'] as const) {
    await theme(inspector, name);
    for (const [width, height] of [
      [2560, 1440],
      [1024, 640],
      [1440, 900],
    ] as const) {
      await resize(app, width, height);
      await screenshot(inspector, `inspector-${width}-${name}`);
      // Contrast differs between the themes, structure between narrow and wide.
      if (width === 1440 || (width === 1024 && name === 'dark')) await expectAccessible(inspector);
    }
  }
});

test('column widths, theme and splitters are remembered', async ({ inspector, gpu }) => {
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'wide' });
  const process = handles(inspector).getByRole('columnheader', { name: 'Process' });
  const before = (await process.boundingBox())?.width ?? 0;
  const grip = await process.locator('.col-grip').boundingBox();
  if (grip === null) throw new Error('no grip');
  await inspector.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await inspector.mouse.down();
  await inspector.mouse.move(grip.x + grip.width / 2 + 40, grip.y + grip.height / 2, { steps: 4 });
  await inspector.mouse.up();
  await expect.poll(async () => Math.round((await process.boundingBox())?.width ?? 0)).toBe(Math.round(before + 40));

  const splitter = inspector.getByRole('separator', { name: 'Width of Details' });
  const width = async () => Math.round((await details(inspector).boundingBox())?.width ?? 0);
  const own = await width();
  await splitter.focus();
  await inspector.keyboard.press('ArrowLeft');
  await expect.poll(width).toBe(own + 16);
  const settings = await gpu.settings.get.value();
  expect(settings.tables).toHaveProperty('handles.widths.process');
  expect(settings.layout.details?.[0]).toBeGreaterThan(100);
  await splitter.dblclick();
  await expect.poll(width).toBe(own);

  await button(inspector, 'Theme').click();
  await inspector.getByRole('menuitemcheckbox', { name: 'Light' }).click();
  await expect(inspector.locator('html')).toHaveAttribute('data-theme', 'light');
  await button(inspector, 'Density').click();
  await inspector.getByRole('menuitemcheckbox', { name: 'Roomy' }).click();
  await expect.poll(async () => Math.round((await row(inspector, /^wide/).boundingBox())?.height ?? 0)).toBe(32);
});

test('sizes that no window has leave every pane in sight', async ({ inspector, gpu }) => {
  await gpu.buffers.create.value({ device: 0, bytes: MIB, label: 'seen' });
  for (const percent of [-500, 1e9]) {
    const layout = Object.fromEntries(['rail', 'details', 'handles', 'calls'].map((name) => [name, [percent]]));
    await gpu.settings.set.value({ layout });
    await expect(row(inspector, /^seen/)).toBeInViewport({ ratio: 1 });
    await expect(details(inspector)).toBeInViewport();
    await expect(devices(inspector)).toBeInViewport();
    await expect(inspector.locator('.status')).toBeInViewport({ ratio: 1 });
    expect(await inspector.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
});

test('the focus is in the table after a dialog that nothing had it before', async ({ inspector }) => {
  await inspector.keyboard.press('Control+K');
  await inspector.keyboard.type('new buffer');
  await inspector.keyboard.press('Enter');
  await expect(dialog(inspector, 'New buffer')).toBeVisible();
  await inspector.keyboard.press('Enter');
  await expect(row(inspector, /^buffer/)).toBeVisible();
  await expect(handles(inspector)).toBeFocused();
});

test('what was selected is selected after a reload', async ({ app, inspector, gpu }) => {
  await gpu.buffers.create.value({ device: 0, bytes: MIB, label: 'first' });
  await gpu.buffers.create.value({ device: 0, bytes: MIB, label: 'second' });
  const selected = handles(inspector).locator('[aria-selected="true"]');
  await row(inspector, /^second/).click();
  await expect(selected).toContainText('second');
  await inspector.reload();
  await expect(selected).toContainText('second');
  await expect(details(inspector).getByRole('heading', { name: 'second' })).toBeVisible();
  await app.open('producer');
  await devices(inspector)
    .getByRole('button', { name: /^Producer/ })
    .click();
  const heading = details(inspector).getByRole('heading', { name: /^Producer/ });
  await expect(heading).toBeVisible();
  await inspector.reload();
  await expect(heading).toBeVisible();
});

test('zoomed to 200 % in the smallest window, everything can be scrolled to and used', async ({ app, inspector }) => {
  await resize(app, 1024, 640);
  await app.electron.evaluate(({ BrowserWindow }) => {
    for (const window of BrowserWindow.getAllWindows()) window.webContents.setZoomFactor(2);
  });
  await expect.poll(() => inspector.evaluate(() => innerWidth)).toBeLessThanOrEqual(512);
  const status = inspector.locator('.status');
  await expect(status).not.toBeInViewport();
  // By wheel, as a person does: what is cut off scrolls for a program too.
  await inspector.mouse.move(20, 20);
  await inspector.mouse.wheel(0, 2000);
  await expect(status).toBeInViewport();
  const importHandle = inspector.getByRole('button', { name: 'Import handle' }).first();
  await importHandle.scrollIntoViewIfNeeded();
  await expect(importHandle).toBeInViewport({ ratio: 1 });
  await importHandle.click();
  const dialog = inspector.getByRole('dialog');
  for (const name of ['Cancel', 'Open']) {
    await expect(dialog.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 });
  }
});
