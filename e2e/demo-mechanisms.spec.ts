/** The demo windows share by every mechanism that a device has, and say what travels, what arrives, and in which order to let go. */
import type { Page } from '@playwright/test';
import type { App, DemoWindow } from './harness/app';
import { expectStrip, step } from './harness/demo-windows';
import { expect, realDriver, screenshot, test } from './harness/test';
import { button, expectAccessible, resize } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const ways = [
  {
    way: 'Legacy handle',
    calls: ['cuMemAlloc_v2', 'cuIpcGetMemHandle', 'cuIpcOpenMemHandle_v2', 'cuIpcCloseMemHandle', 'cuMemFree_v2'],
    travels: '64 bytes travel, by any way at all.',
    arrived: '64 bytes came from Producer 1.',
  },
  {
    way: 'Pool',
    calls: [
      'cuMemAllocFromPoolAsync',
      'cuMemPoolExportPointer',
      'cuMemPoolImportPointer',
      'cuMemFreeAsync',
      'cuMemFreeAsync',
    ],
    travels: /Descriptor \d+ of its pool travels over a Unix socket \(SCM_RIGHTS\), and 64 bytes/,
    arrived: 'The pool’s descriptor came from Producer 1 over a Unix socket (SCM_RIGHTS), and 64 bytes.',
  },
  {
    way: 'Virtual memory',
    calls: ['cuMemMap', 'cuMemExportToShareableHandle', 'cuMemMap', 'cuMemUnmap', 'cuMemUnmap'],
    travels: /Descriptor \d+ travels over a Unix socket \(SCM_RIGHTS\)/,
    arrived: 'A descriptor came from Producer 1 over a Unix socket (SCM_RIGHTS).',
  },
] as const;
type Way = (typeof ways)[number]['way'];

async function choosesWay(producer: Page, way: Way): Promise<void> {
  await step(producer, 'Create').getByRole('radiogroup', { name: 'Shared by' }).getByText(way, { exact: true }).click();
}

/** A producer that exports `greeting` in this way, and a consumer. */
async function exporting(app: App, way: Way): Promise<{ producer: DemoWindow; consumer: DemoWindow }> {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  await choosesWay(producer.page, way);
  await button(step(producer.page, 'Create'), 'Create').click();
  await button(step(producer.page, 'Export'), 'Export').click();
  await expect(step(producer.page, 'Export')).toContainText('nobody has it open');
  return { producer, consumer };
}

async function opens(consumer: Page): Promise<void> {
  await step(consumer, 'Choose a handle')
    .getByRole('radio', { name: /greeting/ })
    .click();
  await button(step(consumer, 'Open'), 'Open').click();
  await expect(step(consumer, 'Open')).toContainText('1 reference');
}

for (const { way, calls, travels, arrived } of ways) {
  const [create, exportCall, open, close, free] = calls;

  test(`${way}: created, exported, opened, written both ways, closed and freed, with the real calls`, async ({
    app,
  }) => {
    const { producer, consumer } = await exporting(app, way);
    await expect(step(producer.page, 'Create')).toContainText(create);
    await expect(step(producer.page, 'Export')).toContainText(exportCall);
    await expect(step(producer.page, 'Export')).toContainText(travels);
    await opens(consumer.page);
    await expect(step(consumer.page, 'Open')).toContainText(open);
    await expect(step(consumer.page, 'Open')).toContainText(arrived);

    await step(producer.page, 'Fill').getByLabel('Text to write').fill('by any way');
    await button(step(producer.page, 'Fill'), 'Write').click();
    await expectStrip(consumer.page, 'by any way');
    const write = step(consumer.page, 'Read and write');
    await write.getByLabel('Offset').fill('0');
    await write.getByRole('radio', { name: 'Text' }).check({ force: true });
    await write.getByLabel('Text to write').fill('my own way');
    await button(write, 'Write').click();
    await expectStrip(producer.page, 'my own way');
    await screenshot(producer.page, `producer-${way.toLowerCase().replace(' ', '-')}`);
    await screenshot(consumer.page, `consumer-${way.toLowerCase().replace(' ', '-')}`);

    const openStep = step(consumer.page, 'Open');
    await button(openStep, 'Open again').click();
    await expect(openStep).toContainText('2 references');
    await expect(openStep).toContainText('the same address both times');
    await button(step(consumer.page, 'Close'), 'Close').click();
    await expect(step(consumer.page, 'Close')).toContainText(close);
    await button(step(producer.page, 'Let go'), 'Free…').click();
    await button(producer.page.getByRole('alertdialog'), 'Free it').click();
    await expect(step(producer.page, 'Let go')).toContainText(free);
    await expect(step(producer.page, 'Let go')).toContainText('Nobody has it open: its pages are gone.');
  });

  test(`${way}: what was shared outlives a crash of its producer for who has it open`, async ({ app }) => {
    const { producer, consumer } = await exporting(app, way);
    await opens(consumer.page);
    await step(producer.page, 'Fill').getByLabel('Text to write').fill('last words');
    await button(step(producer.page, 'Fill'), 'Write').click();
    await expectStrip(consumer.page, 'last words');
    await button(producer.page, 'Crash this process').click();
    await button(producer.page, 'Restart').waitFor();
    await expect(producer.page.getByRole('alert')).toContainText('Consumer 1 holds 1 reference to greeting.');
    await expect(consumer.page.getByRole('status').filter({ hasText: 'Producer 1 was killed' })).toBeVisible();
    await expectStrip(consumer.page, 'last words');
    await button(producer.page, 'Restart').click();
    await expect(button(step(producer.page, 'Create'), 'Create')).toBeEnabled();
    await button(step(consumer.page, 'Close'), 'Close').click();
    await expect(step(consumer.page, 'Close')).toContainText('closed');
  });
}

test('each way is explained where it is chosen; what the GPU cannot is there with its reason', async ({ app }) => {
  const producer = await app.open('producer');
  const create = step(producer.page, 'Create');
  const pick = create.getByRole('radiogroup', { name: 'Shared by' });
  await expect(pick.getByRole('radio', { name: 'Legacy handle' })).toBeChecked();
  await expect(create).toContainText('Small buffers share a driver block');
  await expect(create).toContainText('Here that is a block of 2.00 MiB');
  if (!realDriver) {
    await expect(pick.getByRole('radio', { name: 'Fabric' })).toBeDisabled();
    await expect(create).toContainText(/Fabric: .*IMEX/);
  }
  // By keyboard: the arrows pass over what cannot be chosen.
  await pick.getByRole('radio', { name: 'Legacy handle' }).focus();
  await producer.page.keyboard.press('ArrowRight');
  await expect(create).toContainText('The pool travels once, as a file descriptor');
  await producer.page.keyboard.press('ArrowRight');
  await expect(create).toContainText(/Here it becomes [\d.]+ MiB: the step is [\d.]+ MiB/);
  await producer.page.keyboard.press('ArrowRight');
  await expect(pick.getByRole('radio', { name: 'Legacy handle' })).toBeChecked();
});

test('virtual memory that is open to read only refuses to be written, and the step says why', async ({ app }) => {
  const { consumer } = await exporting(app, 'Virtual memory');
  await step(consumer.page, 'Choose a handle')
    .getByRole('radio', { name: /greeting/ })
    .click();
  const open = step(consumer.page, 'Open');
  await open.getByRole('combobox', { name: 'Access: read and write' }).click();
  await consumer.page.getByRole('option', { name: /read only/ }).click();
  await button(open, 'Open').click();
  await expect(open).toContainText('Open to read only.');
  const write = step(consumer.page, 'Read and write');
  await button(write, 'Write').click();
  await expect(write.getByRole('alert')).toBeVisible();
  await screenshot(consumer.page, 'consumer-read-only');
});

test('the right order of a pool is said on both sides, and the other order is explained', async ({ app }) => {
  const { producer, consumer } = await exporting(app, 'Pool');
  await opens(consumer.page);
  await expect(step(consumer.page, 'Close')).toContainText('Close here before Producer 1 frees');
  await expect(step(producer.page, 'Let go')).toContainText('Close in the importer first');
  await button(step(producer.page, 'Let go'), 'Free…').click();
  const question = producer.page.getByRole('alertdialog');
  await expect(question).toContainText('NVIDIA asks that importers free memory of a pool first');
  await button(question, 'Free it').click();
  await expect(consumer.page.getByRole('status').filter({ hasText: 'Producer 1 freed greeting' })).toBeVisible();
  await button(step(consumer.page, 'Close'), 'Close').click();
  await expect(step(producer.page, 'Let go')).toContainText('Nobody has it open: its pages are gone.');
});

test('a share descriptor that one window copies opens in the other', async ({ app }) => {
  for (const way of ['Pool', 'Virtual memory'] as const) {
    const { producer, consumer } = await exporting(app, way);
    const exportStep = step(producer.page, 'Export');
    await exportStep.getByRole('button', { name: /^Copy/ }).click();
    await producer.page.getByRole('menuitem', { name: 'Share descriptor' }).click();
    await expect(button(exportStep, 'Copied: descriptor')).toBeVisible();
    const text = await app.electron.evaluate(({ clipboard }) => clipboard.readText());
    expect(JSON.parse(text)).toMatchObject({ mechanism: way === 'Pool' ? 'pool' : 'virtual' });
    const choosing = step(consumer.page, 'Choose a handle');
    await button(choosing, 'Paste a handle').click();
    await choosing.getByLabel('Handle as text').fill(text);
    await expect(choosing).toContainText('Share descriptor of');
    await button(step(consumer.page, 'Open'), 'Open').click();
    await expect(step(consumer.page, 'Open')).toContainText('1 reference');
  }
});

test('both windows pass axe in both themes, and fit the smallest size, by every way', async ({ app }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  for (const { way } of ways) {
    await choosesWay(producer.page, way);
    await step(producer.page, 'Create').getByLabel('Name').fill(way);
    for (const theme of ['light', 'dark'] as const) {
      await producer.api.settings.set.value({ theme });
      await expect(producer.page.locator('html')).toHaveAttribute('data-theme', theme);
      await expectAccessible(producer.page);
      await screenshot(producer.page, `producer-create-${way.toLowerCase().replace(' ', '-')}-${theme}`);
    }
    await button(step(producer.page, 'Create'), 'Create').click();
    await button(step(producer.page, 'Export'), 'Export').click();
    await step(consumer.page, 'Choose a handle')
      .getByRole('radio', { name: new RegExp(way) })
      .click();
    await button(step(consumer.page, 'Open'), 'Open').click();
    await expect(step(consumer.page, 'Open')).toContainText('1 reference');
    await expectAccessible(producer.page);
    await expectAccessible(consumer.page);
    for (const [name, { page }] of [
      ['producer', producer],
      ['consumer', consumer],
    ] as const) {
      await resize(app, 480, 640, page);
      const sideways = await page.evaluate(() => {
        const steps = document.querySelector('.steps');
        return [
          document.documentElement.scrollWidth - innerWidth,
          (steps?.scrollWidth ?? 0) - (steps?.clientWidth ?? 0),
        ];
      });
      expect(sideways, `${name}, ${way}`).toEqual([0, 0]);
      await screenshot(page, `${name}-small-${way.toLowerCase().replace(' ', '-')}`);
    }
    await button(step(producer.page, 'Create'), 'New buffer').click();
  }
});
