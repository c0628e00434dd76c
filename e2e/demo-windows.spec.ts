/** The producer and consumer windows as a person uses them: one process's bytes change in another, and let go. */
import { choose, createAndExport, expectStrip, pair, step, strip, writeText } from './harness/demo-windows';
import { expect, realDriver, screenshot, test } from './harness/test';
import { button, expectAccessible, resize } from './harness/window';

test.describe.configure({ timeout: 120_000 });

test('bytes that one process animates change in the window of the other', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  await expect(producer.page.getByRole('heading', { name: 'Producer 1' })).toBeVisible();
  await expect(producer.page.getByText(`pid ${producer.pid}, GPU 0, a process of its own`)).toBeVisible();
  expect(consumer.pid).not.toBe(producer.pid);
  if (!realDriver) await expect(consumer.page.getByText('Simulated GPU')).toBeVisible();
  await expect(step(producer.page, 'Create')).toContainText('greeting, 4.00 KiB of u8 on GPU 0');
  await expect(step(producer.page, 'Create')).toContainText(/cuMemAlloc_v2.*s/);
  await expect(step(producer.page, 'Export')).toContainText('open in Consumer 1');
  await expect(step(consumer.page, 'Open')).toContainText(/cuIpcOpenMemHandle_v2.*at 0x[0-9a-f]+/);

  await writeText(producer.page, 'Hello from {pid}');
  await expectStrip(producer.page, `Hello from ${producer.pid}`);
  await expectStrip(consumer.page, `Hello from ${producer.pid}`);

  await step(producer.page, 'Fill').getByLabel('Text to write').fill('tick {n}');
  await step(producer.page, 'Fill').getByRole('switch', { name: 'Animate' }).click();
  for (const { page } of [producer, consumer]) {
    await expectStrip(page, 'tick ');
    const before = await strip(page);
    await expect.poll(() => strip(page)).not.toBe(before);
    // The change is marked, and not by colour alone: an underline.
    await expect(page.locator('.bb.c1').first()).toHaveCSS('border-bottom-style', 'solid');
  }
  await expect(step(producer.page, 'Fill')).toContainText('cuMemcpyHtoD_v2');
  await screenshot(producer.page, 'producer');
  await screenshot(consumer.page, 'consumer');

  await step(producer.page, 'Fill').getByRole('switch', { name: 'Animate' }).click();
  await expect(step(producer.page, 'Fill').getByRole('switch', { name: 'Animate' })).not.toBeChecked();
});

test('what the consumer writes, the producer sees', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  await writeText(producer.page, 'greeting');
  const write = step(consumer.page, 'Read and write');
  await write.getByLabel('Offset').fill('2*4');
  await write.getByLabel('Bytes to write').fill('21 21');
  await button(write, 'Write').click();
  await expectStrip(producer.page, 'greeting!!');
  await expect(write).toContainText('Producer 1 sees it too');

  await write.getByRole('radio', { name: 'Text' }).check({ force: true });
  await write.getByLabel('Offset').fill('0x100');
  await write.getByLabel('Text to write').fill('far away');
  await button(write, 'Write').click();
  await button(write, 'Show 0x100 above').click();
  await expectStrip(consumer.page, 'far away');
  await button(consumer.page, 'First 32').click();
  await expectStrip(consumer.page, 'greeting!!');

  await write.getByLabel('Offset').fill('end');
  await button(write, 'Write').click();
  await expect(write).toContainText('7 bytes too many: the last byte is at 0xfff.');
  await write.getByLabel('Offset').fill('4096');
  await button(write, 'Write').click();
  await expect(write).toContainText('The last byte is at 4,095');
});

test('a handle copied in one window opens in another when it is pasted, in every form', async ({ app }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  await createAndExport(producer.page);
  await writeText(producer.page, 'pasted');
  const exporting = step(producer.page, 'Export');
  await expect(exporting.getByRole('img', { name: 'Handle, 64 bytes, hidden' })).toBeVisible();

  const choosing = step(consumer.page, 'Choose a handle');
  await button(choosing, 'Paste a handle').click();
  const box = choosing.getByLabel('Handle as text');
  for (const form of ['Base64', 'Python bytes', 'C array', 'C# array', 'JSON array', 'Hex']) {
    await exporting.getByRole('button', { name: /Copy handle|Copied/ }).click();
    await producer.page.getByRole('menuitem', { name: form }).click();
    await expect(button(exporting, `Copied: ${form}`)).toBeVisible();
    const text = await app.electron.evaluate(({ clipboard }) => clipboard.readText());
    await box.fill(text);
    await expect(choosing, text).toContainText(`${form}, 64 bytes.`);
  }
  await expect(choosing.getByRole('radio', { name: /Pasted handle/ })).toBeChecked();
  await expect(choosing).toContainText(`looks like pid ${producer.pid}`);
  await button(step(consumer.page, 'Open'), 'Open').click();
  // It turns out to be the export that is listed.
  await expect(choosing.getByRole('radio')).toHaveCount(1);
  await expect(choosing.getByRole('radio', { name: /greeting/ })).toBeChecked();
  await expectStrip(consumer.page, 'pasted');

  await button(choosing, 'Paste a handle').click();
  await box.fill('4d02');
  await expect(choosing).toContainText('A handle has 64 bytes; this text holds 2.');
});

test('the handle is hidden until it is revealed', async ({ app }) => {
  const producer = await app.open('producer');
  await createAndExport(producer.page);
  const exporting = step(producer.page, 'Export');
  const handle = exporting.getByRole('group', { name: 'Handle, 64 bytes' });
  await expect(handle).toBeHidden();
  await button(exporting, 'Reveal').click();
  const shown = ((await handle.textContent()) ?? '').replace(/\s/g, '');
  const [exported] = (await producer.api.ledger.snapshot.value()).exports;
  const { handle: bytes } = await producer.api.handles.reveal.value({ exportId: exported?.id ?? '' });
  expect(shown).toBe(Buffer.from(bytes).toString('hex'));
  await button(exporting, 'Hide').click();
  await expect(handle).toBeHidden();
});

test('opening again counts references; each close takes one', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  const opening = step(consumer.page, 'Open');
  await button(opening, 'Open again').click();
  await expect(opening).toContainText('2 references');
  await expect(opening).toContainText('the same address both times');
  await expect(step(producer.page, 'Let go')).toContainText('Consumer 1 holds 2 references');
  await button(opening, 'Close one').click();
  await expect(opening).toContainText('1 reference');
  await button(opening, 'Open again').click();

  const closing = step(consumer.page, 'Close');
  await expect(closing).toContainText('both references; the mapping goes');
  await button(closing, 'Close').click();
  await expect(closing).toContainText('cuIpcCloseMemHandle');
  await expect(button(opening, 'Open')).toBeVisible();
  await expect(step(producer.page, 'Let go')).toContainText('nobody known here holds it');
  await expect(consumer.page.getByLabel('Bytes in memory now')).toContainText('stale');
});

test('a part of the memory opens as a view of its own', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  await writeText(producer.page, '0123456789abcdefTHE SECOND ROW');
  const opening = step(consumer.page, 'Open');
  await opening.getByRole('combobox', { name: 'Range: all' }).click();
  await consumer.page.getByRole('option', { name: 'a part' }).click();
  await opening.getByLabel('From offset').fill('0x10');
  await opening.getByLabel('Length').fill('8');
  await button(opening, 'Open again').click();
  await expect(opening).toContainText('2 references');
  await expectStrip(consumer.page, 'THE SECO');
  await expect(consumer.page.getByLabel('Bytes in memory now')).toContainText('all 8 bytes');
  await opening.getByLabel('Length').fill('5 KiB');
  await expect(opening).toContainText('Only 4080 bytes follow that offset.');
  await expect(button(opening, 'Open again')).toBeDisabled();
});

test('the driver refuses flags 0, and the window explains it', async ({ app }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  await createAndExport(producer.page);
  await choose(consumer.page, 'greeting');
  const opening = step(consumer.page, 'Open');
  await opening.getByRole('checkbox', { name: 'Lazy peer access' }).click();
  await button(opening, 'Open').click();
  await expect(opening.getByRole('alert')).toContainText('INVALID_VALUE 1');
  await expect(opening.getByRole('alert')).toContainText('LAZY_ENABLE_PEER_ACCESS');
  await screenshot(consumer.page, 'consumer-flags-0');
  await opening.getByRole('checkbox', { name: 'Lazy peer access' }).click();
  await button(opening, 'Open').click();
  await expect(opening).toContainText('1 reference');
  await expect(opening.getByRole('alert')).toBeHidden();
});

test('an event is not ready while the producer’s work runs, and then it is', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  const waiting = step(consumer.page, 'Wait for the event');
  await expect(waiting).toContainText('Producer 1 exports none');
  const signal = step(producer.page, 'Signal');
  await signal.getByRole('combobox', { name: 'Behind: no queued work' }).click();
  await producer.page.getByRole('option', { name: '10 s of queued work' }).click();
  await button(signal, 'Record event').click();
  await expect(signal).toContainText('not ready yet');

  await button(waiting, 'Wait').click();
  await expect(waiting).toContainText('greeting ready: not yet');
  await expect(waiting.getByRole('progressbar', { name: 'Waiting' })).toHaveAttribute('aria-valuemax', '10');
  await expect(waiting).toContainText(/\d\.\d of at most 10 s/);
  await screenshot(consumer.page, 'consumer-waiting');
  await button(waiting, 'Stop').click();
  await expect(waiting).toContainText(/Stopped after \d\.\d s: not ready/);

  await button(waiting, 'Wait').click();
  await expect(waiting).toContainText('greeting ready: ready', { timeout: 15_000 });
  await expect(waiting).toContainText(/Ready after \d\.\d s/);
  await expect(signal).toContainText('ready');
  await expect(signal).not.toContainText('not ready');

  await expect(step(consumer.page, 'Close')).toContainText('the reference and the event');
  await button(step(consumer.page, 'Close'), 'Close').click();
  const open = async () => {
    const { eventImports } = await consumer.api.ledger.snapshot.value();
    return eventImports.filter((row) => row.peerId === consumer.peerId && row.state === 'open');
  };
  await expect.poll(open).toEqual([]);
});

test('freeing names who still holds the memory; their pages stay', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  await writeText(producer.page, 'still here');
  const letGo = step(producer.page, 'Let go');
  await button(letGo, 'Free…').click();
  const question = producer.page.getByRole('alertdialog', { name: 'Free greeting, 4.00 KiB?' });
  await expect(question).toContainText(`Consumer 1 pid ${consumer.pid} 1 reference`);
  await button(question, 'Keep it').click();
  await expect(question).toBeHidden();
  await expect(letGo).not.toContainText('freed');

  await button(letGo, 'Free…').click();
  await button(question, 'Free it').click();
  await expect(letGo).toContainText('Consumer 1 holds 1 reference: the pages stay until the last reference closes.');
  await expect(consumer.page.getByRole('status').filter({ hasText: 'Producer 1 freed greeting' })).toBeVisible();
  await expectStrip(consumer.page, 'still here');
  await button(step(consumer.page, 'Close'), 'Close').click();
  await expect(letGo).toContainText('Nobody has it open: its pages are gone.');
  // Closed and freed: the handle opens nothing any more, and the window says why.
  await button(step(consumer.page, 'Open'), 'Open').click();
  await expect(step(consumer.page, 'Open').getByRole('alert')).toContainText('freed');
});

test('several buffers: each has its own steps', async ({ app }) => {
  const producer = await app.open('producer');
  const create = step(producer.page, 'Create');
  await createAndExport(producer.page);
  await writeText(producer.page, 'first');
  await button(create, 'New buffer').click();
  await create.getByLabel('Name').fill('greeting');
  await button(create, 'Create').click();
  await expect(create).toContainText('already has a buffer called greeting');
  await create.getByLabel('Name').fill('numbers');
  await create.getByLabel('Size').fill('2 MiB');
  await create.getByRole('combobox', { name: 'Element type: u8' }).click();
  await producer.page.getByRole('option', { name: /^f32/ }).click();
  await button(create, 'Create').click();
  await expect(create).toContainText('2.00 MiB of f32 on GPU 0');
  await expect(button(step(producer.page, 'Export'), 'Export')).toBeVisible();

  const fill = step(producer.page, 'Fill');
  await fill.getByRole('radio', { name: 'Constant' }).check({ force: true });
  await fill.getByLabel('Value of each f32').fill('one');
  await button(fill, 'Write').click();
  await expect(fill).toContainText('“one” is not a number.');
  await fill.getByLabel('Value of each f32').fill('1');
  await button(fill, 'Write').click();
  await expect.poll(() => strip(producer.page)).toMatch(/^(0000803f)+$/);

  await create.getByRole('combobox', { name: 'Buffer: numbers' }).click();
  await producer.page.getByRole('option', { name: /greeting/ }).click();
  await expectStrip(producer.page, 'first');
  await screenshot(producer.page, 'producer-two-buffers');
});

test('a buffer larger than the device is refused where it was asked for', async ({ app }) => {
  const producer = await app.open('producer');
  const create = step(producer.page, 'Create');
  await create.getByLabel('Size').fill('4096 GiB');
  await button(create, 'Create').click();
  await expect(create.getByRole('alert')).toContainText('OUT_OF_MEMORY 2');
  await create.getByLabel('Size').fill('0');
  await button(create, 'Create').click();
  await expect(create).toContainText('At least 1 byte.');
});

test('both windows pass axe, work by keyboard, and keep bytes and crash in sight when small', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  await button(step(producer.page, 'Signal'), 'Record event').click();
  await button(step(consumer.page, 'Open'), 'Open again').click();
  await expect(step(consumer.page, 'Open')).toContainText('2 references');
  for (const theme of ['light', 'dark'] as const) {
    await producer.api.settings.set.value({ theme });
    for (const { page } of [producer, consumer]) {
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      await expectAccessible(page);
    }
  }

  for (const [name, { page }] of [
    ['producer', producer],
    ['consumer', consumer],
  ] as const) {
    await resize(app, 480, 640, page);
    for (const part of [page.getByRole('grid', { name: 'Bytes' }), button(page, 'Crash this process')]) {
      await expect(part).toBeInViewport({ ratio: 1 });
    }
    const last = page.getByRole('listitem').last();
    await last.scrollIntoViewIfNeeded();
    await expect(last).toBeInViewport({ ratio: 0.9 });
    await expect(page.getByRole('grid', { name: 'Bytes' })).toBeInViewport({ ratio: 1 });
    const sideways = await page.evaluate(() => {
      const steps = document.querySelector('.steps');
      return [document.documentElement.scrollWidth - innerWidth, (steps?.scrollWidth ?? 0) - (steps?.clientWidth ?? 0)];
    });
    expect(sideways).toEqual([0, 0]);
    await screenshot(page, `${name}-480x640`);
  }

  // By keyboard alone: to the crash, and from there to the restart.
  await button(consumer.page, 'Crash this process').focus();
  await consumer.page.keyboard.press('Enter');
  await expect(button(consumer.page, 'Restart')).toBeFocused();
  await expectAccessible(consumer.page);
  await consumer.page.keyboard.press('Enter');
  await expect(consumer.page.getByText(/pid \d+, GPU 0, a process of its own/)).toBeVisible();
});

test('reduced motion: a change keeps its mark until the next read, and nothing fades', async ({ app }) => {
  const { producer } = await pair(app);
  await producer.page.emulateMedia({ reducedMotion: 'reduce' });
  await producer.api.settings.set.value({ followHz: 1 });
  await writeText(producer.page, 'motion');
  await expect(producer.page.locator('.bb.c1').first()).toBeVisible();
  await expect(producer.page.locator('.bb.fade3')).toHaveCount(0);
  await expect(producer.page.locator('.bb.c1')).toHaveCount(0, { timeout: 3000 });
});

test('a long label makes no window wider than it is', async ({ app }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const label = 'attention projection of layer 12, rank 3 of 8, in bf16, for the second replica';
  // Two, so that there is a choice between them.
  for (const each of ['first', label]) {
    const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4096, label: each });
    await producer.api.buffers.export.value({ id });
  }
  for (const { page } of [producer, consumer]) {
    await resize(app, 480, 640, page);
    await expect(page.getByText(label).first()).toBeVisible();
    await expect(button(page, 'Crash this process')).toBeInViewport({ ratio: 1 });
    const widest = await page.evaluate(() => document.querySelector('.demo')?.scrollWidth);
    expect(widest).toBe(480);
  }
  await screenshot(producer.page, 'producer-long-label');
});
