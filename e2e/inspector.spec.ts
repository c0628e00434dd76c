/** What a person does with objects in the Inspector window: create, export, import, look, write, wait, see them end. */
import { type api, exportHandle } from './harness/api';
import type { App, DemoWindow } from './harness/app';
import { expect, realDriver, screenshot, test } from './harness/test';
import { button, calls, details, devices, dialog, row } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const MIB = 2 ** 20;
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

test('a killed exporter: what is left is named, and a restart is offered', async ({ app, inspector, gpu }) => {
  const producer = await exporting(app, 'weights');
  await row(inspector, /^weights/).click();
  await button(details(inspector), 'Open in Inspector').click();
  await expect(row(inspector, /^mapping of weights Inspector/)).toBeVisible();

  const card = devices(inspector).getByRole('listitem', { name: 'Producer 1' });
  await card.hover();
  await button(card, 'Actions for Producer 1').click();
  await inspector.getByRole('menuitem', { name: 'Kill Producer 1' }).click();
  await expect(button(card, 'Restart')).toBeVisible();
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
