/** What changed: snapshots of a memory, and comparing them with the memory and with what other processes have. */
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import { expect, realDriver, screenshot, test } from './harness/test';

test.describe.configure({ timeout: 120_000 });

const snapshotsOf = (page: Page): Locator => page.getByRole('region', { name: 'Snapshots' });
const compareOf = (page: Page): Locator => page.getByRole('region', { name: 'Compare', exact: true });
const bytesOf = (page: Page): Locator => page.getByRole('grid', { name: 'Bytes' });
const differences = (page: Page): Locator => page.getByRole('listbox', { name: 'Differences' });
const compareButton = (page: Page): Locator => compareOf(page).getByRole('button', { name: /^Compare \d/ });

async function select(page: Page, label: string): Promise<void> {
  await page.bringToFront();
  await page.getByRole('grid', { name: 'Handles' }).getByText(label, { exact: true }).first().click();
  await expect(bytesOf(page)).toBeVisible();
}

const openChanges = (page: Page): Promise<void> => page.getByRole('tab', { name: 'Changes' }).click();

async function pick(page: Page, label: string, option: RegExp | string): Promise<void> {
  await compareOf(page)
    .getByRole('combobox', { name: new RegExp(`^${label}:`) })
    .click();
  await page.getByRole('option', { name: option }).click();
}

/** Takes a snapshot under a name, of what is chosen. */
async function take(page: Page, name: string): Promise<void> {
  await snapshotsOf(page).getByLabel('Name of the snapshot').fill(name);
  await page.keyboard.press('Enter');
  await expect(snapshotsOf(page).getByRole('listitem').filter({ hasText: name })).toBeVisible();
}

const create = async (gpu: Api, label: string, bytes: number): Promise<string> =>
  (await gpu.buffers.create.value({ device: 0, bytes, label, dtype: 'f32' })).id;

test('what another process wrote since a snapshot is listed, and shown in Bytes', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  const buffer = await create(producer.api, 'activations', 4096);
  const { id: exportId } = await producer.api.buffers.export.value({ id: buffer });
  await gpu.imports.open.value({ exportId, device: 0 });
  await select(inspector, 'mapping of activations');
  await openChanges(inspector);
  await expect(snapshotsOf(inspector)).toContainText('None yet');
  await take(inspector, 'before');

  await compareButton(inspector).click();
  await expect(compareOf(inspector).getByRole('status')).toContainText('Equal');
  await producer.api.buffers.write.value({ id: buffer, offset: 0x123, bytes: Uint8Array.of(1, 2, 3) });
  await producer.api.buffers.write.value({ id: buffer, offset: 0x800, bytes: Uint8Array.of(9) });
  await compareButton(inspector).click();
  await expect(compareOf(inspector).getByRole('status')).toContainText('4 bytes differ');
  const places = differences(inspector).getByRole('option');
  await expect(places).toHaveCount(2);
  await expect(places.nth(0)).toContainText(/123.*3 bytes/);
  await expect(places.nth(1)).toContainText(/800.*1 byte/);
  await places.nth(0).click();
  const both = inspector.getByRole('table', { name: 'Both sides' });
  await expect(both.getByRole('row').nth(1).getByRole('cell').nth(0)).toHaveText('000000');
  await expect(both.getByRole('row').nth(1).getByRole('cell').nth(1)).toHaveText('010203');

  await differences(inspector).focus();
  await inspector.keyboard.press('Enter');
  await expect(bytesOf(inspector)).toBeVisible();
  await expect(inspector.getByRole('region', { name: 'Contents' })).toContainText('0x123');
});

test("an exporter's buffer and a consumer's mapping of it are equal; their bytes are not shown", async ({
  app,
  inspector,
  gpu,
}) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const buffer = await create(producer.api, 'weights', 4096);
  await producer.api.buffers.write.value({ id: buffer, offset: 5, bytes: Uint8Array.of(7) });
  const { id: exportId } = await producer.api.buffers.export.value({ id: buffer });
  await consumer.api.imports.open.value({ exportId, device: 0, label: 'weights' });
  await create(gpu, 'own', 4096);
  await select(inspector, 'own');
  await openChanges(inspector);
  await pick(inspector, 'First side', /^weights, Producer/);
  await pick(inspector, 'Second side', /^weights, as Consumer/);
  await compareButton(inspector).click();
  await expect(compareOf(inspector).getByRole('status')).toContainText('Equal');

  await pick(inspector, 'Second side', /^own, live/);
  await compareButton(inspector).click();
  await expect(compareOf(inspector).getByRole('status')).toContainText('1 byte differs');
  await differences(inspector).getByRole('option').first().click();
  await expect(compareOf(inspector)).toContainText('is not open in Inspector');
});

test('values may differ by a tolerance', async ({ inspector, gpu }) => {
  const id = await create(gpu, 'losses', 4096);
  await select(inspector, 'losses');
  await openChanges(inspector);
  await take(inspector, 'zeros');
  const values = new Uint8Array(Float32Array.of(0.001, 0.5).buffer);
  await gpu.buffers.write.value({ id, offset: 64, bytes: values });
  await pick(inspector, 'Compare as', /^f32/);
  await compareButton(inspector).click();
  await expect(compareOf(inspector).getByRole('status')).toContainText('2 f32 values differ');
  await compareOf(inspector).getByLabel('Absolute tolerance').fill('0.01');
  await inspector.keyboard.press('Enter');
  await expect(compareOf(inspector).getByRole('status')).toContainText('1 f32 value differs');
  await compareOf(inspector).getByLabel('Absolute tolerance').fill('0.6');
  await inspector.keyboard.press('Enter');
  await expect(compareOf(inspector).getByRole('status')).toContainText('Equal within the tolerance');
  await compareOf(inspector).getByLabel('Absolute tolerance').fill('much');
  await expect(compareOf(inspector)).toContainText('A number from 0 on');
});

test('a long comparison is cancelled', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  const bytes = 256 << 20;
  await create(producer.api, 'large there', bytes);
  await create(gpu, 'large here', bytes);
  await select(inspector, 'large here');
  await openChanges(inspector);
  await pick(inspector, 'First side', /^large there/);
  await compareButton(inspector).click();
  await compareOf(inspector).getByRole('button', { name: 'Cancel' }).click();
  await expect(compareOf(inspector).getByRole('button', { name: 'Cancel' })).toBeHidden();
  await expect(compareOf(inspector)).toContainText('Nothing compared yet');
  await expect(compareButton(inspector)).toBeEnabled();
});

test('a side whose process is killed while it is compared is said, until others are chosen', async ({
  app,
  inspector,
  gpu,
}) => {
  test.skip(realDriver, 'a GPU has compared both before anybody could kill a process');
  const producer = await app.open('producer');
  const bytes = 1 << 30;
  await create(producer.api, 'large there', bytes);
  await create(gpu, 'large here', bytes);
  await create(gpu, 'other', 4096);
  await select(inspector, 'large here');
  await openChanges(inspector);
  await pick(inspector, 'First side', /^large there/);
  await compareButton(inspector).click();
  await expect(compareOf(inspector).getByRole('progressbar')).toBeVisible();
  process.kill(producer.pid, 'SIGKILL');
  await expect(compareOf(inspector).getByRole('alert')).toContainText('Compare failed');
  await screenshot(inspector, 'changes-side-gone');
  await expect(compareOf(inspector)).not.toContainText('large there');
  await expect(compareOf(inspector).getByRole('alert')).toContainText('Compare failed');
  await pick(inspector, 'Second side', /^other/);
  await expect(compareOf(inspector)).toContainText('Nothing compared yet');
});

test('by keys alone: taken, compared, kept, dropped', async ({ inspector, gpu }) => {
  await create(gpu, 'keys', 4096);
  await select(inspector, 'keys');
  await bytesOf(inspector).focus();
  await inspector.keyboard.press('s');
  await expect(snapshotsOf(inspector).getByLabel('Name of the snapshot')).toBeFocused();
  await inspector.keyboard.type('first');
  await inspector.keyboard.press('Enter');
  const row = snapshotsOf(inspector).getByRole('listitem').filter({ hasText: 'first' });
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'Compare first with the memory now' }).focus();
  await inspector.keyboard.press('Enter');
  await expect(compareOf(inspector).getByRole('status')).toContainText('Equal');

  const drop = snapshotsOf(inspector).getByRole('button', { name: 'Drop first' });
  const question = snapshotsOf(inspector).getByRole('alertdialog');
  await drop.focus();
  await inspector.keyboard.press('Enter');
  await expect(question.getByRole('button', { name: 'Keep' })).toBeFocused();
  await inspector.keyboard.press('Enter');
  await expect(drop).toBeVisible();
  await drop.focus();
  await inspector.keyboard.press('Enter');
  await inspector.keyboard.press('Tab');
  await inspector.keyboard.press('Enter');
  await expect(snapshotsOf(inspector)).toContainText('None yet');
  expect((await gpu.contents.snapshots.value()).snapshots).toEqual([]);
});

test('a difference is shown in the other memory, which is opened where it is not, by keys and buttons', async ({
  app,
  inspector,
  gpu,
}) => {
  const producer = await app.open('producer');
  const there = await create(producer.api, 'weights', 4096);
  await producer.api.buffers.write.value({ id: there, offset: 0x345, bytes: Uint8Array.of(7, 8) });
  await producer.api.buffers.export.value({ id: there });
  await create(gpu, 'own', 4096);
  await create(gpu, 'other', 4096);
  await select(inspector, 'own');
  await openChanges(inspector);
  await pick(inspector, 'First side', /^weights, Producer/);
  await pick(inspector, 'Second side', /^own, live/);
  await compareButton(inspector).click();
  await expect(compareOf(inspector).getByRole('status')).toContainText('2 bytes differ');
  await differences(inspector).focus();
  await inspector.keyboard.press('ArrowDown');
  await expect(compareOf(inspector).getByRole('button', { name: 'Show in Bytes' })).toBeVisible();
  await expect(compareOf(inspector).getByRole('button', { name: 'Open weights there' })).toBeVisible();
  await screenshot(inspector, 'changes-ways');
  await differences(inspector).focus();
  await inspector.keyboard.press('Shift+Enter');
  const contents = inspector.getByRole('region', { name: 'Contents' });
  await expect(contents.locator('.what')).toContainText('weights');
  await expect(bytesOf(inspector)).toBeFocused();
  await expect(contents.locator('footer')).toContainText('Selected 0x345–0x346');

  // Back in the first memory the comparison is as it was, and its place is still chosen.
  await select(inspector, 'own');
  await openChanges(inspector);
  await expect(differences(inspector).getByRole('option', { selected: true })).toContainText('345');
  await compareOf(inspector).getByRole('button', { name: 'Show in weights' }).click();
  await expect(contents.locator('footer')).toContainText('Selected 0x345–0x346');

  // Of two memories that are both not on screen both are offered, and Enter shows the first.
  await select(inspector, 'other');
  await openChanges(inspector);
  await pick(inspector, 'First side', /^own, live/);
  await pick(inspector, 'Second side', /^weights, live through/);
  await compareButton(inspector).click();
  await differences(inspector).getByRole('option').first().click();
  await expect(compareOf(inspector).getByRole('button', { name: /^Show in (own|weights)$/ })).toHaveCount(2);
  await differences(inspector).focus();
  await inspector.keyboard.press('Enter');
  await expect(contents.locator('.what')).toContainText('own');
  await expect(contents.locator('footer')).toContainText('Selected 0x345–0x346');
});
