/** The producer and consumer windows when a process is killed, hangs or is restarted, and when a window is closed. */
import { choose, createAndExport, expectStrip, pair, step, writeText } from './harness/demo-windows';
import { expect, realDriver, screenshot, test } from './harness/test';
import { button } from './harness/window';

test.describe.configure({ timeout: 120_000 });

test('an event whose exporter was killed stays not ready, and waiting ends', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  const signal = step(producer.page, 'Signal');
  await signal.getByRole('combobox', { name: 'Behind: no queued work' }).click();
  await producer.page.getByRole('option', { name: '30 s of queued work' }).click();
  await button(signal, 'Record event').click();
  await expect(signal).toContainText('not ready');
  const waiting = step(consumer.page, 'Wait for the event');
  await waiting.getByRole('combobox', { name: 'Limit: 10 s' }).click();
  await consumer.page.getByRole('option', { name: '5 s', exact: true }).click();
  await button(waiting, 'Wait').click();
  await expect(waiting.getByRole('progressbar')).toBeVisible();
  await button(producer.page, 'Crash this process').click();
  await expect(waiting).toContainText('Still not ready after 5 s', { timeout: 15_000 });
  await expect(waiting).toContainText('exporter gone');
  await expect(waiting).toContainText('the event stays NOT_READY');
});

test('a crashed producer: its window offers a restart, the consumer keeps the bytes', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  await writeText(producer.page, 'last words');
  await expectStrip(consumer.page, 'last words');

  await button(producer.page, 'Crash this process').click();
  // How soon it is offered is measured in robustness.spec.ts, where a busy machine can be told from a slow app.
  const restart = button(producer.page, 'Restart');
  await restart.waitFor();
  await expect(producer.page.getByRole('alert')).toContainText(/Producer 1 was killed \(SIGKILL\) at \d\d:\d\d:\d\d/);
  await expect(producer.page.getByRole('alert')).toContainText('Consumer 1 holds 1 reference to greeting.');
  await expect(restart).toBeFocused();
  await expect(button(producer.page, 'Crash this process')).toBeDisabled();
  await screenshot(producer.page, 'producer-crashed');

  await expect(consumer.page.getByRole('status').filter({ hasText: 'Producer 1 was killed' })).toContainText(
    'The bytes of greeting stay readable here.',
  );
  await expectStrip(consumer.page, 'last words');
  await screenshot(consumer.page, 'consumer-exporter-gone');

  await restart.click();
  await expect(producer.page.getByText(/pid \d+, GPU 0, a process of its own/)).toBeVisible();
  await expect(producer.page.getByText(`pid ${producer.pid},`)).toBeHidden();
  const { self } = await producer.api.app.info.value();
  expect(self.pid).not.toBe(producer.pid);
  await expect(producer.page.getByRole('status').filter({ hasText: 'Still held' })).toContainText('greeting, 4.00 KiB');

  // The new process works, with nothing left over in its steps.
  await createAndExport(producer.page, 'second');
  await writeText(producer.page, 'I am back');
  await choose(consumer.page, 'second');
  await button(step(consumer.page, 'Open'), 'Open').click();
  await expectStrip(consumer.page, 'I am back');

  await choose(consumer.page, 'greeting');
  await expectStrip(consumer.page, 'last words');
  await button(step(consumer.page, 'Close'), 'Close').click();
  await expect(producer.page.getByRole('status').filter({ hasText: 'Still held' })).toBeHidden();
});

test('a crashed consumer: its references go, its window begins anew', async ({ app }) => {
  const { producer, consumer } = await pair(app);
  await button(consumer.page, 'Crash this process').click();
  await button(consumer.page, 'Restart').waitFor();
  await expect(consumer.page.getByRole('alert')).toContainText('The driver dropped its 1 reference to greeting.');
  await expect(step(producer.page, 'Let go')).toContainText('nobody known here holds it');
  await screenshot(consumer.page, 'consumer-crashed');
  await button(consumer.page, 'Restart').click();
  await expect(consumer.page.getByText(/pid \d+, GPU 0, a process of its own/)).toBeVisible();
  await choose(consumer.page, 'greeting');
  await button(step(consumer.page, 'Open'), 'Open').click();
  await expect(step(consumer.page, 'Open')).toContainText('1 reference');
});

test('the Inspector’s kill and restart are seen in the window', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  await createAndExport(producer.page);
  await gpu.demo.kill.value({ peerId: producer.peerId });
  await button(producer.page, 'Restart').waitFor();
  const next = await gpu.demo.restart.value({ peerId: producer.peerId });
  await expect(producer.page.getByText(`pid ${next.pid}, GPU 0`)).toBeVisible();
  await expect(button(step(producer.page, 'Create'), 'Create')).toBeEnabled();
});

test.describe('a driver call that does not return', () => {
  test.skip(realDriver, 'only the simulator can be told to hang');
  test.use({ launch: { env: { GPU_IPC_SIM_DELAY: 'cuEventRecord=60000' } } });

  test('is named, the window stays usable, and a crash ends it', async ({ app }) => {
    const { producer, consumer } = await pair(app);
    await button(step(producer.page, 'Signal'), 'Record event').click();
    const says = producer.page.getByRole('region', { name: 'cuEventRecord has not returned' });
    await expect(says).toContainText(/cuEventRecord has not returned for \d+ s/, { timeout: 6000 });
    await screenshot(producer.page, 'producer-hanging');
    // Typing and choosing work meanwhile, and the other window's process answers.
    await step(producer.page, 'Fill').getByLabel('Text to write').fill('still typing');
    await button(step(consumer.page, 'Open'), 'Open again').click();
    await expect(step(consumer.page, 'Open')).toContainText('2 references');
    await button(producer.page, 'Crash this process').click();
    await button(producer.page, 'Restart').waitFor();
    await expect(says).toBeHidden();
    await button(producer.page, 'Restart').click();
    await expect(button(step(producer.page, 'Create'), 'Create')).toBeEnabled();
  });
});

test('closing a window names who still holds what it exported, and asks', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4096, label: 'held' });
  const made = await producer.api.buffers.export.value({ id });
  for (let i = 0; i < 2; i++) await consumer.api.imports.open.value({ exportId: made.id, device: 0 });
  const close = (title: string) =>
    app.electron.evaluate(({ BrowserWindow }, start) => {
      for (const window of BrowserWindow.getAllWindows()) if (window.getTitle().startsWith(start)) window.close();
    }, title);
  const stateOf = async (peerId: string) =>
    (await gpu.ledger.snapshot.value()).peers.find((peer) => peer.id === peerId)?.state;

  await app.questions('Keep open');
  await close('Producer');
  const question = 'Close Producer 1? Consumer 1 holds 2 references. It keeps the bytes until it closes.';
  await expect.poll(() => app.questions('Keep open')).toEqual([question]);
  expect(producer.page.isClosed()).toBe(false);
  expect(await stateOf(producer.peerId)).toBe('alive');

  await app.questions('Close');
  await close('Producer');
  await expect.poll(() => producer.page.isClosed()).toBe(true);
  expect(await app.questions()).toEqual([question, question]);
  await expect.poll(() => stateOf(producer.peerId)).toBe('exited');
  // Nobody has anything of a consumer.
  await close('Consumer');
  await expect.poll(() => consumer.page.isClosed()).toBe(true);
  expect(await app.questions()).toEqual([question, question]);
});
