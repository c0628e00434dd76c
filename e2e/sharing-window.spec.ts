/** "How can this be shared?" and the table of descriptors, as a person uses them. */
import { expect, screenshot, test } from './harness/test';
import { button, details, dialog, expectAccessible, resize, row, theme } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const region = 'How can this be shared?';

test('memory of cuMemAlloc: a verdict with its neighbours, and a trial that works', async ({ inspector, gpu }) => {
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'small' });
  await gpu.buffers.create.value({ device: 0, bytes: 8192, label: 'beside it' });
  await row(inspector, /^small/).click();
  const section = details(inspector).getByRole('region', { name: region });
  const before = (await gpu.ledger.snapshot.value()).callsFailed;
  await button(section, 'Ask the driver').click();
  await expect(section.getByText(/^Device memory, 4\.00 KiB at 0x/)).toBeVisible();
  await expect(section.getByText(/opens the whole block of 2\.00 MiB/)).toBeVisible();
  await expect(section.getByRole('list', { name: 'Neighbours in the block' })).toContainText('beside it8.00 KiB');
  await button(section, /^What the driver said/).click();
  await expect(
    section.getByText('CU_POINTER_ATTRIBUTE_MEMORY_TYPE').or(section.getByText('MEMORY_TYPE')),
  ).toBeVisible();
  await button(section, /^What the driver said/).click();

  await button(section, 'Try it: Legacy handle').click();
  const result = section.getByRole('group', { name: 'Result of the trial' });
  await expect(result).toContainText('It works: all 4.00 KiB compared, the same on both sides.', { timeout: 20_000 });
  await expect(result).toContainText('cuIpcGetMemHandle');
  await expect(result).toContainText('4,096 of 4,096 bytes');
  const [exporter, importer] = await result.locator('dd.mono').allTextContents();
  expect(exporter).toMatch(/^[0-9a-f]{16}…$/);
  expect(importer).toBe(exporter);

  // What the verdict calls impossible can be tried too: the driver's own answer is shown.
  await button(section, 'Try it: Virtual, fd').click();
  const second = section.locator('[data-mechanism="virtual"]').getByRole('group', { name: 'Result of the trial' });
  await expect(second).toContainText('It does not work.', { timeout: 20_000 });
  await expect(second.getByRole('alert')).toBeVisible();
  for (const name of ['dark', 'light'] as const) {
    await theme(inspector, name);
    await expectAccessible(inspector);
    await section.scrollIntoViewIfNeeded();
    await screenshot(inspector, `verdict-${name}`);
  }
  // Nothing asks by itself: the log grows only with what was asked, also in a time of several reads and polls.
  const after = (await gpu.ledger.snapshot.value()).callsFailed;
  await inspector.waitForTimeout(1500);
  expect((await gpu.ledger.snapshot.value()).callsFailed).toBe(after);
  expect(after).toBeGreaterThan(before);
});

test('virtual memory and a pool: each is tried in its dialog and works', async ({ inspector, gpu }) => {
  const range = await gpu.buffers.create.value({ device: 0, bytes: 2 ** 21, label: 'range', memory: 'virtual' });
  await gpu.buffers.create.value({ device: 0, bytes: 2 ** 20, label: 'pooled', memory: 'pool' });
  for (const [label, mechanism] of [
    ['range', 'Virtual, fd'],
    ['pooled', 'Pool, fd'],
  ] as const) {
    await row(inspector, new RegExp(`^${label}`)).click();
    await button(details(inspector), 'More actions').click();
    await inspector.getByRole('menuitem', { name: region }).click();
    const form = dialog(inspector, `How can ${label} be shared?`);
    await button(form, `Try it: ${mechanism}`).click();
    await expect(form.getByRole('group', { name: 'Result of the trial' })).toContainText(/^It works: all/, {
      timeout: 20_000,
    });
    await expect(form.locator('[data-mechanism="legacy"]')).toContainText('no');
    await expectAccessible(inspector);
    await screenshot(inspector, `verdict-dialog-${label}`);
    await button(form, 'Close').click();
  }

  // A bare address, in the middle of the range.
  await inspector.keyboard.press('Control+k');
  await inspector.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('address be shared');
  await inspector.keyboard.press('Enter');
  const form = dialog(inspector, 'How can an address be shared?');
  const address = form.getByRole('textbox', { name: 'Address' });
  await address.fill('nonsense');
  await expect(form.getByText('An address has the digits 0 to 9 and a to f.')).toBeVisible();
  await address.fill(`0x${(BigInt(range.address) + 4096n).toString(16)}`);
  await address.press('Enter');
  await expect(form.getByText(/^Virtual memory, 2\.00 MiB at 0x/)).toBeVisible();
  await expect(button(form, 'Try it: Virtual, fd')).toBeVisible();
  await address.fill('0x10');
  await address.press('Enter');
  await expect(form.getByText('No memory that this process knows is at 0x10.')).toBeVisible();
});

test('descriptors are listed with what they stand for, and closed with what that means', async ({
  app,
  inspector,
  gpu,
}) => {
  await inspector.keyboard.press('Control+k');
  await inspector.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('open descriptors');
  await inspector.keyboard.press('Enter');
  const form = dialog(inspector, 'Open descriptors');
  await expect(form.getByText('No descriptor is open')).toBeVisible();
  await screenshot(inspector, 'descriptors-empty');
  await button(form, 'Close').click();

  const producer = await app.open('producer');
  const pool = await producer.api.pools.create.value({ device: 0, label: 'tensors' });
  await producer.api.pools.export.value({ id: pool.id });
  const made = await producer.api.buffers.create.value({ device: 0, bytes: 2 ** 21, label: 'slab', memory: 'virtual' });
  const exported = await producer.api.buffers.export.value({ id: made.id });
  const consumer = await app.open('consumer');
  const opened = await consumer.api.imports.open.value({ exportId: exported.id, device: 0 });
  await button(inspector.getByRole('region', { name: 'Status' }), '2 descriptors').click();
  const table = form.getByRole('table', { name: '2 open descriptors' });
  await expect(table.getByRole('row')).toHaveCount(3);
  const line = table.getByRole('row', { name: /slab/ });
  await expect(line).toContainText(`Producer 1 ${producer.pid}`);
  await expect(line).toContainText(String(exported.fds[0]));
  await expect(line).toContainText('piece of a buffer');
  await expect(line).toContainText('2.00 MiB');
  await expect(table.getByRole('row', { name: /tensors/ })).toContainText('its pool');
  for (const name of ['dark', 'light'] as const) {
    await theme(inspector, name);
    await expectAccessible(inspector);
    await screenshot(inspector, `descriptors-${name}`);
  }
  await button(table, `Close descriptor ${exported.fds[0]} of slab…`).click();
  const question = form.getByRole('group', { name: 'Close it?' });
  await expect(question).toContainText('nobody new can open it then, until it is exported again');
  await expect(question).toContainText('Consumer 1 keeps what it has open.');
  await expect(button(question, 'Keep')).toBeFocused();
  await screenshot(inspector, 'descriptors-close');
  await button(question, 'Close it').click();
  await expect(form.getByRole('table', { name: '1 open descriptor' })).toBeVisible();
  await button(form, 'Close').click();
  await expect(row(inspector, /^slab u8 virtual Producer 1/)).toContainText('Live, shared');
  expect((await gpu.fds.list.value()).descriptors).toHaveLength(1);
  expect((await consumer.api.memory.read({ id: opened.id, offset: 0, length: 1 })).ok).toBe(true);
  await consumer.api.imports.close.value({ id: opened.id });
  await expect(row(inspector, /^slab u8 virtual Producer 1/)).toContainText('Descriptors closed');
});

test('many descriptors with long labels fit the smallest window', async ({ app, inspector }) => {
  const producer = await app.open('producer');
  const label = 'attention projection of layer 12, rank 3 of 8, in bf16, for the second replica';
  for (let i = 0; i < 30; i++) {
    const { id } = await producer.api.pools.create.value({ device: 0, label: `${i} ${label}`.slice(0, 80) });
    await producer.api.pools.export.value({ id });
  }
  await resize(app, 1024, 700);
  await button(inspector.getByRole('region', { name: 'Status' }), '30 descriptors').click();
  const form = dialog(inspector, 'Open descriptors');
  const table = form.getByRole('table', { name: '30 open descriptors' });
  const wide = await form.evaluate((box) =>
    [...box.querySelectorAll('*')].some((e) => e.matches('.dlg-b') && e.scrollWidth > e.clientWidth),
  );
  expect(wide).toBe(false);
  const first = table.getByRole('button', { name: /^Close descriptor/ }).first();
  await expect(first).toBeInViewport({ ratio: 1 });
  // The names of the columns stay while the rows scroll.
  await table.getByRole('row').last().scrollIntoViewIfNeeded();
  await expect(table.getByRole('columnheader', { name: 'Stands for' })).toBeInViewport({ ratio: 1 });
  await screenshot(inspector, 'descriptors-many');
  await expectAccessible(inspector);
});
