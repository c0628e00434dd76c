/** The Inspector window as a person uses it: create, export, import, look, filter, sort, keys, errors, ends. */
import type { Locator, Page } from '@playwright/test';
import { type api, exportHandle } from './harness/api';
import type { App, DemoWindow } from './harness/app';
import { expect, realDriver, screenshot, test } from './harness/test';
import { expectAccessible, resize, theme } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const MIB = 2 ** 20;
const handles = (page: Page): Locator => page.getByRole('grid', { name: 'Handles' });
const calls = (page: Page): Locator => page.getByRole('grid', { name: 'Driver calls' });
const details = (page: Page): Locator => page.getByRole('region', { name: 'Details' });
const devices = (page: Page): Locator => page.getByRole('navigation', { name: 'Devices' });
const button = (scope: Page | Locator, name: string | RegExp): Locator =>
  scope.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

/** Rows of the handle table that begin with these words. */
const row = (page: Page, label: string | RegExp): Locator => handles(page).getByRole('row', { name: label });
const labels = (page: Page): Promise<string[]> =>
  handles(page)
    .locator('[data-row]')
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((each) => each.querySelector('b, .twig')?.firstChild?.textContent ?? ''),
    );

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A producer whose buffer is exported. */
async function exporting(
  app: App,
  label: string,
): Promise<DemoWindow & { exportId: string; bufferId: string; handle: Uint8Array<ArrayBuffer> }> {
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({
    device: 0,
    bytes: 4 * MIB,
    label,
    fill: { pattern: 'text', text: label },
  });
  const { id: exportId, handle } = await exportHandle(producer.api, { id });
  return { ...producer, exportId, bufferId: id, handle };
}

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

test('a buffer is created, exported, revealed, copied and freed', async ({ app, inspector, gpu }) => {
  await button(inspector, 'New buffer').click();
  const form = dialog(inspector, 'New buffer');
  const size = form.getByRole('textbox', { name: 'Size' });
  await size.fill('0');
  await expect(form.getByText('A buffer has at least 1 byte.')).toBeVisible();
  await size.fill('1000000 GiB');
  await expect(form.getByText(/Larger than the device/)).toBeVisible();
  await button(form, 'Create').click();
  await expect(form).toBeVisible();
  await size.fill('4');
  await form.getByRole('textbox', { name: 'Label' }).fill('activations');
  await form.getByText('Constant').click();
  await form.getByRole('textbox', { name: 'Value' }).fill('1.5');
  await size.press('Enter');
  await expect(form).toBeHidden();

  const created = row(inspector, /^activations f32 Inspector/);
  await expect(created).toHaveAttribute('aria-selected', 'true');
  await expect(created).toContainText('4.00 MiB');
  await expect(created).toContainText('Not exported');
  const [allocation] = (await gpu.ledger.snapshot.value()).allocations;
  const { bytes } = await gpu.memory.read.value({ id: allocation?.id ?? '', offset: 0, length: 8 });
  expect(hex(bytes)).toBe('0000c03f0000c03f');

  await button(details(inspector), 'Export').click();
  await expect(created).toContainText('Exported');
  const { handle } = await exportHandle(gpu, { id: allocation?.id ?? '' });
  const anatomy = details(inspector).getByRole('group', { name: 'Anatomy of the 64 bytes' });
  await expect(anatomy).toContainText('hidden');
  const shown = () =>
    anatomy.evaluate((strip) => [...strip.querySelectorAll('.cells > span')].map((cell) => cell.textContent).join(''));
  expect(await shown()).not.toBe(hex(handle));
  await button(details(inspector), 'Reveal').click();
  await expect.poll(shown).toBe(hex(handle));
  await button(details(inspector), 'Hide').click();
  await expect(anatomy).toContainText('hidden');

  for (const [form, expected] of [
    ['Hex', hex(handle)],
    ['Base64', Buffer.from(handle).toString('base64')],
  ] as const) {
    await details(inspector)
      .getByRole('button', { name: /^(Copy as|Copied)/ })
      .click();
    await inspector.getByRole('menuitem', { name: form }).click();
    await expect.poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText())).toBe(expected);
  }

  await button(details(inspector), 'Free…').click();
  const question = inspector.getByRole('alertdialog', { name: 'Free activations?' });
  await expect(question).toContainText('Its handle was exported');
  await button(question, 'Keep').click();
  await expect(question).toBeHidden();
  await button(details(inspector), 'Free…').click();
  await button(question, 'Free').click();
  await expect(created).toContainText('Freed');
});

test('a live export is opened, opened again and closed; who holds it is drawn', async ({ app, inspector }) => {
  const producer = await exporting(app, 'frames');
  await button(inspector, 'Import handle').click();
  const form = dialog(inspector, 'Import handle');
  await expect(form.getByRole('radio', { name: /^frames 4.00 MiB/ })).toBeChecked();
  await button(form, 'Open').click();
  await expect(form).toBeHidden();
  const mine = row(inspector, /^mapping of frames Inspector/);
  await expect(mine).toHaveAttribute('aria-selected', 'true');
  await expect(mine).toContainText('= 4.00 MiB');
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toBeVisible();
  await expect(details(inspector).getByRole('figure')).toHaveAccessibleName(
    `Producer 1, ${producer.pid}, exported one handle. It is open in Inspector with 1 reference.`,
  );

  await button(details(inspector), 'Open again').click();
  await expect(details(inspector).getByRole('figure')).toHaveAccessibleName(/Inspector with 2 references/);
  await expect(row(inspector, /^frames/)).toContainText('2');
  await button(details(inspector), 'Close in Inspector').click();
  await expect(details(inspector).getByRole('figure')).toHaveAccessibleName(/Inspector with 1 reference\./);
  await button(details(inspector), 'Close in Inspector').click();
  await expect(mine).toContainText('Closed');
  await expect(mine).toHaveAttribute('aria-selected', 'true');
  // The row leaves after ten seconds; the memory that it mapped takes the selection.
  await expect(mine).toBeHidden({ timeout: 20_000 });
  await expect(row(inspector, /^frames/)).toHaveAttribute('aria-selected', 'true');
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('0 mappings');
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('1 allocation, 4.00 MiB');
});

test('a pasted handle is recognised as it is typed, and a refusal is explained in the dialog', async ({
  app,
  inspector,
  gpu,
}) => {
  const producer = await exporting(app, 'pasted');
  await button(inspector, 'Import handle').click();
  const form = dialog(inspector, 'Import handle');
  await form.getByText('Pasted text').click();
  const text = form.getByRole('textbox', { name: 'Handle' });
  await text.fill(hex(producer.handle).slice(0, 100));
  await expect(text).toHaveAttribute('aria-invalid', 'true');
  await expect(button(form, 'Open')).toBeDisabled();
  await text.fill(Buffer.from(producer.handle).toString('base64'));
  await expect(form.getByRole('listitem').filter({ hasText: 'Base64' })).toBeVisible();
  await expect(form.getByText(`Producer 1, alive, not this process`)).toBeVisible();
  await form.getByRole('textbox', { name: 'Offset' }).fill('0x1000');
  await form.getByRole('textbox', { name: 'Length' }).fill('4 KiB');
  await button(form, 'Open').click();
  await expect(row(inspector, /^mapping of pasted Inspector/)).toContainText('= 4.00 KiB');

  // Its own handle: the driver refuses that, and the window says why before and after.
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'own' });
  const own = await exportHandle(gpu, { id });
  await button(inspector, 'Import handle').click();
  await form.getByText('Pasted text').click();
  await text.fill(hex(own.handle));
  await expect(form.getByText('this process: the driver refuses to open it here')).toBeVisible();
  await expect(button(form, 'Open')).toBeDisabled();
  await form.getByRole('checkbox', { name: /^Try anyway/ }).click();
  await button(form, 'Open').click();
  await expect(form.getByRole('alert')).toContainText('INVALID_CONTEXT 201');
  await expect(form).toBeVisible();
  await inspector.keyboard.press('Escape');
  await expect(form).toBeHidden();

  const failure = calls(inspector).getByRole('row', { name: /cuIpcOpenMemHandle_v2.*INVALID_CONTEXT 201/ });
  await button(inspector, /^\d+ failed$/).click();
  await expect(failure).toBeVisible();
  await expect(failure.getByRole('gridcell')).toHaveCount(7);
  await inspector.getByRole('searchbox', { name: 'Filter driver calls' }).fill('nothing is called so');
  await expect(inspector.getByText('No call matches the filter.')).toBeVisible();
});

test('a failure without a place of its own stays until it is dismissed', async ({ inspector, gpu }) => {
  test.skip(realDriver, 'only a simulated GPU is looked past');
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'held' });
  await devices(inspector)
    .getByRole('button', { name: /^GPU 0/ })
    .click();
  // Refused while the Inspector holds something: a new driver would take it away.
  await button(details(inspector), 'Look again').click();
  const failure = inspector.getByRole('region', { name: 'Failures' });
  await expect(failure.getByRole('alert')).toContainText('Look for a real driver failed');
  await row(inspector, /^held/).click();
  await expect(failure).toBeVisible();
  await button(failure, 'Dismiss: Look for a real driver').click();
  await expect(failure).toBeHidden();
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

test('a killed exporter: what is left is named, and a restart is offered', async ({ app, inspector, gpu }) => {
  const producer = await exporting(app, 'weights');
  await row(inspector, /^weights/).click();
  await button(details(inspector), 'Open in Inspector').click();
  await expect(row(inspector, /^mapping of weights Inspector/)).toBeVisible();

  const card = devices(inspector).getByRole('listitem', { name: 'Producer 1' });
  await card.hover();
  await button(card, 'Actions for Producer 1').click();
  await inspector.getByRole('menuitem', { name: 'Kill Producer 1' }).click();
  await expect(button(card, 'Restart')).toBeVisible({ timeout: 2000 });
  await expect(card).toContainText('killed');
  await expect(row(inspector, /^weights/)).toContainText('Exporter gone');
  await expect(details(inspector).getByRole('heading', { name: /^Producer 1 was killed at/ })).toBeVisible();
  await expect(details(inspector).getByText('Read and write through the open mapping')).toBeVisible();
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('1 without exporter, 4.00 MiB');
  await expect(
    calls(inspector).getByText(/Process ended: SIGKILL\. 1 of its buffers is still held elsewhere\./),
  ).toBeVisible();
  const { bytes } = await gpu.memory.read.value({ id: await mappingOf(gpu), offset: 0, length: 7 });
  expect(Buffer.from(bytes).toString()).toBe('weights');
  await screenshot(inspector, 'inspector-lost');

  await button(details(inspector), 'Close in Inspector').click();
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('0 allocations');
  await button(card, 'Restart').click();
  await expect
    .poll(
      async () =>
        (await gpu.ledger.snapshot.value()).peers.filter(({ role, state }) => role === 'producer' && state === 'alive')
          .length,
    )
    .toBe(1);
  expect(producer.pid).toBeGreaterThan(0);
});

async function mappingOf(gpu: ReturnType<typeof api>): Promise<string> {
  const { mappings } = await gpu.ledger.snapshot.value();
  return mappings.find(({ peerId, state }) => peerId === 'p1' && state === 'open')?.id ?? '';
}

test('what others hold is named before it is freed', async ({ app, inspector, gpu }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: MIB, label: 'lent' });
  const { handle } = await exportHandle(gpu, { id });
  const consumer = await app.open('consumer');
  await consumer.api.imports.open.value({ handle, device: 0 });
  await consumer.api.imports.open.value({ handle, device: 0 });
  await row(inspector, /^lent/).click();
  await button(details(inspector), 'Free…').click();
  const question = inspector.getByRole('alertdialog', { name: 'Free lent?' });
  await expect(question).toContainText('Consumer 1 holds 2 references. It keeps the bytes until it closes');
  await button(question, 'Free').click();
  await expect(row(inspector, /^lent/)).toContainText('Freed, mapped');
});

test.describe('a driver call that hangs', () => {
  test.skip(realDriver, 'only the simulator can be told to hang');
  test.use({ launch: { env: { GPU_IPC_SIM_DELAY: 'cuMemAlloc_v2=9000' } } });

  test('is named, counts up, and leaves the window usable', async ({ inspector, gpu }) => {
    const created = gpu.buffers.create({ device: 0, bytes: 4096, label: 'slow' });
    const alarm = inspector.getByRole('region', { name: 'A driver call hangs' });
    await expect(alarm).toContainText(/cuMemAlloc_v2 has not returned for \d+ s/, { timeout: 4000 });
    await expect(alarm).toContainText('Everything else keeps working.');
    await button(inspector, 'Unfold the driver calls').click();
    await expect(calls(inspector).getByRole('row', { name: /cuMemAlloc_v2.*running/ })).toBeVisible();
    await button(inspector, 'New event').click();
    await expect(dialog(inspector, 'New event')).toBeVisible();
    await screenshot(inspector, 'inspector-hanging');
    await inspector.keyboard.press('Escape');
    expect((await created).ok).toBe(true);
    await expect(alarm).toBeHidden();
    await expect(row(inspector, /^slow/)).toBeVisible();
  });
});

test('bytes are written and filled from dialogs', async ({ inspector, gpu }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 64, label: 'target', dtype: 'u8' });
  await row(inspector, /^target/).click();
  await button(details(inspector), 'Write…').click();
  const form = dialog(inspector, 'Write into target');
  await form.getByRole('textbox', { name: 'Offset' }).fill('64');
  await expect(form.getByText('The last byte is at 63.')).toBeVisible();
  await form.getByRole('textbox', { name: 'Offset' }).fill('0x3c');
  await form.getByRole('textbox', { name: 'Bytes' }).fill('de ad be ef');
  await form.getByRole('textbox', { name: 'Bytes' }).press('Enter');
  await expect(form).toBeHidden();
  const read = async (offset: number) => hex((await gpu.memory.read.value({ id, offset, length: 4 })).bytes);
  expect(await read(60)).toBe('deadbeef');

  await button(details(inspector), 'Fill…').click();
  const fill = dialog(inspector, 'Fill target');
  await fill.getByText('Constant').click();
  await fill.getByRole('textbox', { name: 'Value' }).fill('256');
  await expect(fill.getByText('u8 holds 0 to 255.')).toBeVisible();
  await fill.getByRole('textbox', { name: 'Value' }).fill('0x2a');
  await button(fill, 'Fill').click();
  await expect(fill).toBeHidden();
  expect(await read(60)).toBe('2a2a2a2a');
});

test('an event is recorded, asked for and waited for', async ({ app, inspector, gpu }) => {
  await button(inspector, 'New event').click();
  const form = dialog(inspector, 'New event');
  await form.getByRole('textbox', { name: 'Label' }).fill('frame done');
  await button(form, 'Create').click();
  const created = row(inspector, /^frame done Inspector/);
  await expect(created).toHaveAttribute('aria-selected', 'true');
  await button(details(inspector), 'Record').click();
  await button(details(inspector), 'Query').click();
  await expect(created).toContainText('Ready');
  await button(details(inspector), 'Wait').click();
  await expect(details(inspector).getByText(/^Ready after/)).toBeVisible();

  // One of a producer that stays unrecorded work for a while: the wait can be given up.
  const producer = await app.open('producer');
  const { id } = await producer.api.events.create.value({ device: 0, label: 'late' });
  await producer.api.events.export.value({ id });
  await producer.api.events.record.value({ id, afterMs: 20_000 });
  await row(inspector, /^late/).click();
  await button(details(inspector), 'Open in Inspector').click();
  await expect(row(inspector, /^import of late Inspector/)).toHaveAttribute('aria-selected', 'true');
  await button(details(inspector), 'Wait').click();
  await expect(row(inspector, /^import of late Inspector/)).toContainText('Waiting');
  await button(details(inspector), 'Give up').click();
  await expect(details(inspector).getByText(/^Given up after/)).toBeVisible();
  await expect(row(inspector, /^late/)).toContainText('Not ready');
  expect((await gpu.ledger.snapshot.value()).eventImports.some(({ waiting }) => waiting !== undefined)).toBe(false);
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
  const producer = await exporting(app, 'activations');
  const consumer = await app.open('consumer');
  await consumer.api.imports.open.value({ handle: producer.handle, device: 0 });
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
