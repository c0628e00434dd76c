/** Virtual memory in the window, as a person uses it: physical memory, addresses, what is mapped where, and who may. */
import { expect, realDriver, screenshot, test } from './harness/test';
import { button, details, dialog, expectAccessible, menu, resize, row, theme } from './harness/window';

test.describe.configure({ timeout: 120_000 });

test('one physical memory at two places of a range: what is written at one is read at the other', async ({
  app,
  inspector,
  gpu,
}) => {
  await menu(inspector, 'More to create', 'New physical memory…');
  const physical = dialog(inspector, 'New physical memory');
  await physical.getByRole('textbox', { name: 'Size' }).fill('1500 KiB');
  await expect(physical.getByText(/^1\.46 MiB become 2\.00 MiB/)).toBeVisible();
  await physical.getByRole('textbox', { name: 'Label' }).fill('block');
  await button(physical, 'Create').click();
  const block = row(inspector, /^block physical Inspector/);
  await expect(block).toHaveAttribute('aria-selected', 'true');
  await expect(block).toContainText('Not mapped');
  await expect(details(inspector).getByText('mapped nowhere', { exact: true })).toBeVisible();

  // No range yet: the dialog says so and makes one.
  await button(details(inspector), 'Map…').click();
  await button(dialog(inspector, 'No addresses to map it at'), 'Reserve addresses…').click();
  const reserve = dialog(inspector, 'Reserve addresses');
  await reserve.getByRole('textbox', { name: 'Size' }).fill('6');
  await reserve.getByRole('textbox', { name: 'Label' }).fill('window');
  await button(reserve, 'Reserve').click();
  const range = row(inspector, /^window f32 virtual Inspector/);
  await expect(range).toContainText('No memory yet');
  const picture = details(inspector).getByRole('figure', { name: /^window/ });
  await expect(picture).toHaveAccessibleName('window: addresses without memory.');

  await button(details(inspector), 'Map memory at offset 0').click();
  const map = dialog(inspector, 'Map physical memory');
  await map.getByRole('textbox', { name: 'Offset in the range' }).fill('1');
  await expect(map.getByText(/multiple of 2\.00 MiB/)).toBeVisible();
  await expect(button(map, 'Map')).toBeDisabled();
  await map.getByRole('textbox', { name: 'Offset in the range' }).fill('0');
  await button(map, 'Map').click();
  await expect(picture).toHaveAccessibleName(/^window has 1 piece of physical memory: bytes 0 to 2,097,151 are block/);
  await button(details(inspector), 'Map memory at offset 2,097,152').click();
  await map.getByRole('textbox', { name: 'Offset in the range' }).fill('4 MiB');
  await button(map, 'Map').click();
  await expect(picture).toHaveAccessibleName(
    /bytes 2,097,152 to 4,194,303 are not mapped; bytes 4,194,304 to 6,291,455 are block/,
  );
  await expect(picture.getByText('also at +4 MiB')).toBeVisible();
  await expect(picture.getByText('also at +0')).toBeVisible();
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('1 allocation, 1 physical, 2.00 MiB');

  const snapshot = await gpu.ledger.snapshot.value();
  const id = snapshot.allocations.find(({ label }) => label === 'window')?.id ?? '';
  await button(details(inspector), 'Write…').click();
  const write = dialog(inspector, 'Write into window');
  await write.getByRole('textbox', { name: 'Offset' }).fill('16');
  await write.getByRole('textbox', { name: 'Bytes' }).fill('c0 ff ee');
  await write.getByRole('textbox', { name: 'Bytes' }).press('Enter');
  await expect(write).toBeHidden();
  const { bytes } = await gpu.memory.read.value({ id, offset: 4 * 2 ** 20 + 16, length: 3 });
  expect([...bytes]).toEqual([0xc0, 0xff, 0xee]);
  // The gap has no bytes: the host says which.
  expect(await gpu.memory.read({ id, offset: 2 * 2 ** 20, length: 1 })).toMatchObject({
    ok: false,
    error: { code: 'out-of-range' },
  });

  const contents = inspector.getByRole('region', { name: 'Contents' });
  await inspector.keyboard.press('Control+g');
  await inspector.keyboard.type('0x200000');
  await inspector.keyboard.press('Enter');
  await expect(contents.getByRole('alert')).toContainText(
    /^Bytes 2,097,152 to [\d,]+ of window are addresses without memory/,
  );
  await screenshot(inspector, 'virtual-gap');
  await inspector.keyboard.press('Control+g');
  await inspector.keyboard.type('0x500000');
  await inspector.keyboard.press('Enter');
  await expect(contents.getByRole('alert')).toBeHidden();

  for (const name of ['dark', 'light'] as const) {
    await theme(inspector, name);
    await expectAccessible(inspector);
    await screenshot(inspector, `virtual-${name}`);
  }
  await resize(app, 1024, 700);
  await screenshot(inspector, 'virtual-small');
  await resize(app, 2560, 1440);
  await screenshot(inspector, 'virtual-large');
  await resize(app, 1440, 900);

  // The physical memory shows both places; a click leads back to the range.
  await picture.getByRole('button', { name: 'block' }).first().click();
  await expect(block).toHaveAttribute('aria-selected', 'true');
  const places = details(inspector).getByRole('figure', { name: /^block, 2\.00 MiB, is mapped at 2 places/ });
  await expect(places).toBeVisible();
  await screenshot(inspector, 'physical-dark');
  await places
    .getByRole('button', { name: /^window/ })
    .first()
    .click();
  await expect(range).toHaveAttribute('aria-selected', 'true');

  const access = details(inspector).getByRole('radiogroup', { name: 'Access of GPU 0' });
  await access.getByText('Read', { exact: true }).click();
  await expect(access.getByRole('radio', { name: 'Read', exact: true })).toBeChecked();
  expect(await gpu.buffers.write({ id, offset: 0, bytes: Uint8Array.of(1) })).toMatchObject({ ok: false });
  await access.getByText('Read, write').click();
  await expect(access.getByRole('radio', { name: 'Read, write' })).toBeChecked();

  // Released, it stays where it is mapped; unmapped everywhere, it is gone.
  await block.click();
  await button(details(inspector), 'Release…').click();
  const release = inspector.getByRole('alertdialog', { name: 'Release block?' });
  await expect(release).toContainText('It is mapped at 2 places (window) and stays there until it is unmapped.');
  await button(release, 'Release').click();
  await expect(block).toContainText('Released, mapped');
  await range.click();
  await button(details(inspector), 'Unmap block at offset 0').click();
  await expect(picture).toHaveAccessibleName(/^window has 1 piece/);
  await button(details(inspector), 'Unmap block at offset 4,194,304').click();
  await expect(picture).toHaveAccessibleName('window: addresses without memory.');
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText(/^.*1 allocation(?!,)/);
});

test('physical memory of a producer is imported and mapped here', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  const made = await producer.api.virtual.create.value({ device: 0, bytes: 2 ** 21, label: 'slab' });
  const own = await producer.api.virtual.reserve.value({ device: 0, bytes: 2 ** 21, label: 'own view' });
  await producer.api.virtual.map.value({ id: own.id, physicalId: made.id });
  await producer.api.virtual.access.value({ id: own.id, access: 'read-write' });
  await producer.api.virtual.export.value({ id: made.id });
  await row(inspector, /^slab physical Producer 1/).click();
  await expect(
    details(inspector)
      .getByText(/^fd \d+$/)
      .first(),
  ).toBeVisible();
  await button(details(inspector), 'Open in Inspector').click();
  const mine = row(inspector, /^import of slab Inspector/);
  await expect(mine).toHaveAttribute('aria-selected', 'true');

  await menu(inspector, 'More to create', 'Reserve addresses…');
  const reserve = dialog(inspector, 'Reserve addresses');
  await reserve.getByRole('textbox', { name: 'Label' }).fill('view');
  await button(reserve, 'Reserve').click();
  await expect(reserve).toBeHidden();
  await mine.click();
  await button(details(inspector), 'Map…').click();
  await button(dialog(inspector, 'Map physical memory'), 'Map').click();
  await expect(row(inspector, /^view f32 virtual Inspector/)).toHaveAttribute('aria-selected', 'true');
  await producer.api.buffers.write.value({ id: own.id, offset: 0, bytes: Uint8Array.of(7, 8, 9) });
  const view = (await gpu.ledger.snapshot.value()).allocations.find(({ label }) => label === 'view')?.id ?? '';
  expect([...(await gpu.memory.read.value({ id: view, offset: 0, length: 3 })).bytes]).toEqual([7, 8, 9]);
  await row(inspector, /^slab physical/).click();
  await expect(
    details(inspector).getByRole('figure', { name: /is mapped at 2 places: .*in Inspector.*, imported by Inspector/ }),
  ).toBeVisible();
  // What a place says lies within its frame.
  const frames = details(inspector).locator('button.vm-node');
  await expect(frames).toHaveCount(2);
  expect(await frames.evaluateAll((all) => all.every((each) => each.scrollHeight <= each.clientHeight))).toBe(true);
  await expect(row(inspector, /^slab physical/)).toContainText('Live, shared');
  // One memory, mapped in two processes: counted once.
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('2 allocations, 1 physical, 2.00 MiB');
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('0 mappings, 1 physical import');
  await gpu.demo.kill.value({ peerId: producer.peerId });
  await expect(row(inspector, /^slab physical/)).toContainText('Exporter gone');
  await expect(inspector.getByRole('region', { name: 'Status' })).toContainText('1 without exporter, 2.00 MiB');
  await resize(app, 1024, 700);
  const bar = inspector.locator('.status');
  await expect(bar.locator('.status-b')).toBeInViewport({ ratio: 1 });
  expect(await bar.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true);
  for (const name of ['light', 'dark'] as const) {
    await theme(inspector, name);
    await screenshot(inspector, `status-physical-small-${name}`);
  }
  await resize(app, 1440, 900);
  await screenshot(inspector, 'status-physical');
  expect([...(await gpu.memory.read.value({ id: view, offset: 0, length: 3 })).bytes]).toEqual([7, 8, 9]);
});

test('with the keyboard alone', async ({ inspector, gpu }) => {
  await gpu.virtual.reserve.value({ device: 0, bytes: 2 ** 22, label: 'typed' });
  await gpu.virtual.create.value({ device: 0, bytes: 2 ** 21, label: 'chip' });
  await inspector.keyboard.press('Control+k');
  await inspector.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('typed');
  await inspector.keyboard.press('Enter');
  await expect(row(inspector, /^typed/)).toHaveAttribute('aria-selected', 'true');
  const map = button(details(inspector), 'Map memory at offset 0');
  await map.focus();
  await inspector.keyboard.press('Enter');
  await expect(dialog(inspector, 'Map physical memory')).toBeVisible();
  await inspector.keyboard.press('Enter');
  const chip = details(inspector).getByRole('figure').getByRole('button', { name: 'chip', exact: true });
  await expect(chip).toBeVisible();
  await chip.focus();
  await inspector.keyboard.press('Enter');
  await expect(row(inspector, /^chip/)).toHaveAttribute('aria-selected', 'true');
  await inspector.keyboard.press('Control+k');
  await inspector.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('new physical');
  await inspector.keyboard.press('Enter');
  await expect(dialog(inspector, 'New physical memory')).toBeVisible();
});

test.describe('on two devices', () => {
  test.skip(realDriver, 'how many devices a real machine has is not ours to say');
  test.use({ launch: { env: { GPU_IPC_SIM_DEVICES: '2' } } });

  test('access is given to the other one, for a range and for a pool', async ({ inspector, gpu }) => {
    const range = await gpu.buffers.create.value({ device: 0, bytes: 2 ** 21, label: 'range', memory: 'virtual' });
    await row(inspector, /^range/).click();
    const of = details(inspector).getByRole('radiogroup', { name: 'Access of GPU 1' });
    await expect(of.getByRole('radio', { name: 'None' })).toBeChecked();
    await of.getByText('Read', { exact: true }).click();
    await expect(of.getByRole('radio', { name: 'Read', exact: true })).toBeChecked();
    const record = (await gpu.ledger.snapshot.value()).allocations.find(({ id }) => id === range.id);
    expect(record?.access).toContainEqual({ device: 1, access: 'read' });

    const pool = await gpu.pools.create.value({ device: 0, label: 'wide' });
    await row(inspector, /^wide/).click();
    await expect(of.getByRole('radio', { name: 'None' })).toBeChecked();
    await of.getByText('Read, write').click();
    await expect(of.getByRole('radio', { name: 'Read, write' })).toBeChecked();
    const access = (await gpu.ledger.snapshot.value()).pools.find(({ id }) => id === pool.id)?.access;
    expect(access).toContainEqual({ device: 1, access: 'read-write' });
    await screenshot(inspector, 'pool-two-devices');
  });
});
