/** Pools in the window, as a person uses them: made, allocated from, exported, opened elsewhere, let go of. */
import { expect, realDriver, screenshot, test } from './harness/test';
import { button, details, dialog, expectAccessible, handles, menu, resize, row, theme } from './harness/window';

test.describe.configure({ timeout: 120_000 });

test('a pool is created, its memory is opened by a consumer and by the Inspector, and both see the same bytes', async ({
  app,
  inspector,
  gpu,
}) => {
  await menu(inspector, 'More to create', 'New pool…');
  const form = dialog(inspector, 'New pool');
  await form.getByRole('textbox', { name: 'At most' }).fill('nonsense');
  await button(form, 'Create').click();
  await expect(form.getByRole('textbox', { name: 'At most' })).toHaveAttribute('aria-invalid', 'true');
  await form.getByRole('textbox', { name: 'At most' }).fill('64');
  await form.getByRole('textbox', { name: 'Label' }).fill('tensors');
  await form.getByRole('textbox', { name: 'Label' }).press('Enter');
  await expect(form).toBeHidden();
  const pool = row(inspector, /^tensors pool Inspector/);
  await expect(pool).toHaveAttribute('aria-selected', 'true');
  await expect(pool).toContainText('Not exported');
  await expect(details(inspector).getByText('Not asked yet: Refresh asks the driver.')).toBeVisible();

  await button(details(inspector), 'New buffer…').click();
  const buffer = dialog(inspector, 'New buffer');
  await expect(buffer.getByRole('combobox', { name: 'Kind of memory: Pool' })).toBeVisible();
  await expect(buffer.getByRole('combobox', { name: 'Pool: tensors' })).toBeVisible();
  await buffer.getByRole('textbox', { name: 'Label' }).fill('weights');
  await buffer.getByText('Text', { exact: true }).click();
  await buffer.getByRole('textbox', { name: 'Text' }).fill('from the pool');
  await button(buffer, 'Create').click();
  const weights = row(inspector, /^weights f32 pool Inspector/);
  await expect(weights).toHaveAttribute('aria-selected', 'true');

  await button(details(inspector), 'Export').click();
  await expect(weights).toContainText('Exported');
  await expect(details(inspector).getByText(/Opens only where its pool was imported before/)).toBeVisible();
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('1 descriptor');

  // A consumer opens it; the pool comes with it.
  const { exports } = await gpu.ledger.snapshot.value();
  const exported = exports.find(({ kind }) => kind === 'memory');
  const consumer = await app.open('consumer');
  const opened = await consumer.api.imports.open.value({ exportId: exported?.id ?? '', device: 0 });
  await consumer.api.buffers.write.value({ id: opened.id, offset: 0, bytes: new TextEncoder().encode('FROM') });
  await expect(row(inspector, /^mapping by pool of weights Consumer 1/)).toBeVisible();
  await expect(row(inspector, /^import of tensors Consumer 1/)).toBeVisible();
  const { bytes } = await gpu.memory.read.value({ id: exported?.objectId ?? '', offset: 0, length: 13 });
  expect(Buffer.from(bytes).toString()).toBe('FROM the pool');
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('1 allocation, 4.00 MiB');

  await pool.click();
  await expect(pool).toContainText('Live, shared');
  const usage = details(inspector).getByRole('meter', { name: 'Memory of the pool' });
  await button(details(inspector), 'Refresh').click();
  await expect(usage).toHaveAttribute('aria-valuetext', /^4\.00 MiB used of/);
  await expect(details(inspector).getByText(/^fd \d+$/)).toBeVisible();
  for (const name of ['dark', 'light'] as const) {
    await theme(inspector, name);
    await expectAccessible(inspector);
    await screenshot(inspector, `pool-${name}`);
  }
  await resize(app, 1024, 700);
  await screenshot(inspector, 'pool-small');
  await resize(app, 1440, 900);

  // What others keep is named before and after.
  await weights.click();
  await button(details(inspector), 'Free…').click();
  const free = inspector.getByRole('alertdialog', { name: 'Free weights?' });
  await expect(free).toContainText('Consumer 1 holds 1 reference. It keeps the bytes until it closes');
  await button(free, 'Free').click();
  await expect(weights).toContainText('Freed, mapped');
  await pool.click();
  await expect(details(inspector).getByText(/1 allocation freed here is still open elsewhere/)).toBeVisible();
  await button(details(inspector), 'Trim').click();
  await expect(usage).toHaveAttribute('aria-valuetext', /^0 B used of/);
  await button(details(inspector), 'Destroy…').click();
  const destroy = inspector.getByRole('alertdialog', { name: 'Destroy tensors?' });
  await expect(destroy).toContainText('1 allocation of it is open: weights.');
  await expect(destroy).toContainText('Consumer 1 imported it and keeps what is open of it.');
  await button(destroy, 'Destroy').click();
  await expect(pool).toContainText('Destroyed, open');
  await expect(details(inspector).getByRole('heading', { name: /^Inspector destroyed it at/ })).toBeVisible();
  expect(
    Buffer.from((await consumer.api.memory.read.value({ id: opened.id, offset: 0, length: 4 })).bytes).toString(),
  ).toBe('FROM');
  await consumer.api.imports.close.value({ id: opened.id });
  await expect(pool).toContainText(/Destroyed(?!, open)/);
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('0 allocations');
});

test('an imported pool says what it may not do, and the driver agrees', async ({ app, inspector }) => {
  const producer = await app.open('producer');
  const made = await producer.api.pools.create.value({ device: 0, label: 'frames' });
  const { id } = await producer.api.buffers.create.value({
    device: 0,
    bytes: 2 ** 20,
    label: 'frame',
    poolId: made.id,
  });
  await producer.api.buffers.export.value({ id });
  await row(inspector, /^frames pool Producer 1/).click();
  await button(details(inspector), 'Open in Inspector').click();
  const mine = row(inspector, /^import of frames Inspector/);
  await expect(mine).toHaveAttribute('aria-selected', 'true');
  await expect(details(inspector).getByText('Allocate in it: the driver refuses')).toBeVisible();

  await row(inspector, /^frame .*Producer 1/).click();
  await button(details(inspector), 'Open in Inspector').click();
  await expect(row(inspector, /^mapping by pool of frame Inspector/)).toHaveAttribute('aria-selected', 'true');
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toBeVisible();
  // "Legacy capable: no" would say nothing of how it came here.
  await expect(details(inspector).getByText('Pool, fd', { exact: true })).toBeVisible();
  await expect(details(inspector).getByText('Legacy capable')).toBeHidden();
  await mine.click();
  await expect(details(inspector).getByRole('region', { name: 'Open here' })).toContainText('frame');
  await button(details(inspector), 'Destroy the import').click();
  const failure = inspector.getByRole('region', { name: 'Failures' });
  await expect(failure.getByRole('alert')).toContainText('Destroy the import of frames failed');
  await button(failure, 'Dismiss: Destroy the import of frames').click();
  await row(inspector, /^mapping by pool of frame Inspector/).click();
  await button(details(inspector), 'Close in Inspector').click();
  await mine.click();
  await button(details(inspector), 'Destroy the import').click();
  await expect(mine).toContainText('Closed');
});

test('each kind of memory is made in the dialog, and says how it can be shared', async ({ inspector, gpu }) => {
  for (const [kind, word, sentence] of [
    ['Managed', 'managed', /cannot be shared with another process/],
    ['Pinned', 'pinned', /stays in place for fast copies/],
    ['Mapped', 'mapped', /reads and writes directly/],
    ['Default pool', 'default pool', /That pool cannot be exported/],
    ['Virtual', 'virtual', /one file descriptor for each piece/],
  ] as const) {
    await button(inspector, 'New buffer').click();
    const form = dialog(inspector, 'New buffer');
    await form.getByRole('combobox', { name: /^Kind of memory/ }).click();
    await inspector.getByRole('option', { name: new RegExp(`^${kind}`) }).click();
    await expect(form.getByText(sentence)).toBeVisible();
    if (kind === 'Virtual') {
      await form.getByRole('textbox', { name: 'Size' }).fill('3');
      await expect(form.getByText('3.00 MiB become 4.00 MiB: a multiple of the granularity, 2.00 MiB.')).toBeVisible();
      await screenshot(inspector, 'new-buffer-virtual');
    }
    await form.getByRole('textbox', { name: 'Label' }).fill(`a ${word} buffer`);
    await button(form, 'Create').click();
    await expect(form).toBeHidden();
    await expect(row(inspector, new RegExp(`^a ${word} buffer f32 ${word} Inspector`))).toHaveAttribute(
      'aria-selected',
      'true',
    );
  }
  const { allocations } = await gpu.ledger.snapshot.value();
  expect(allocations.map(({ memory }) => memory)).toEqual(['managed', 'pinned', 'mapped', 'default-pool', 'virtual']);
  await row(inspector, /^a managed buffer/).click();
  await expect(
    details(inspector).getByText('Memory of this kind cannot be shared with another process.'),
  ).toBeVisible();
  await inspector.getByRole('searchbox', { name: 'Filter handles' }).fill('virtual');
  await expect(handles(inspector)).toHaveAttribute('aria-rowcount', '2');
});

test.describe('without a driver', () => {
  test.skip(realDriver, 'a real driver is found wherever it is');
  test.use({ launch: { env: { GPU_IPC_SIM_PATH: '/nonexistent/libcuda.so' } } });
  test('nothing can be made, and each button says why', async ({ inspector }) => {
    const make = inspector.getByRole('button', { name: 'New buffer' });
    await expect(make).toHaveAttribute('aria-disabled', 'true');
    await expect(make).toHaveAttribute('title', /has not been built|no driver|not/i);
    await make.click({ force: true });
    await expect(inspector.getByRole('dialog')).toBeHidden();
    await button(inspector, 'More to create').click();
    await expect(inspector.getByRole('menuitem', { name: 'New pool…' })).toHaveAttribute('aria-disabled', 'true');
    await inspector.keyboard.press('Escape');
  });
});
