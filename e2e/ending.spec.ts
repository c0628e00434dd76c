/** Ends that nobody waits for politely: signals that come again, a page that dies again, far too much on the clipboard. */
import { App } from './harness/app';
import { expect, test } from './harness/test';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} again and again lets the app finish releasing`, async () => {
    const app = await App.launch();
    const producer = await app.open('producer');
    await producer.api.buffers.create.value({ device: 0, bytes: 1 << 20 });
    const child = app.electron.process();
    const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve(by ?? code)));
    for (let n = 0; n < 4; n += 1) {
      child.kill(signal);
      await pause(10);
    }
    expect(await ended).toBe(0);
    await app.close().catch(() => undefined);
  });
}

for (const way of ['an exception', 'a rejection']) {
  test(`a defect in main, ${way}, ends the app with exit code 1 and leaves nothing`, async () => {
    const app = await App.launch();
    const producer = await app.open('producer');
    await producer.api.buffers.create.value({ device: 0, bytes: 1 << 20 });
    app.expectProblem(/main process: (Uncaught exception|Unhandled rejection): Error: provoked/);
    const child = app.electron.process();
    const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve(by ?? code)));
    await app.electron.evaluate((_electron, way) => {
      setTimeout(() => {
        if (way === 'an exception') throw new Error('provoked');
        void Promise.reject(new Error('provoked'));
      }, 50);
    }, way);
    expect(await ended).toBe(1);
    expect(app.output).toContain('Error: provoked');
    await app.close();
  });
}

test('a page that dies again comes back again', async ({ app, gpu }) => {
  app.expectProblem(/a page crashed/);
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'still here' });
  for (let n = 0; n < 2; n += 1) {
    const text = await app.electron.evaluate(async ({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      if (contents === undefined) return '';
      const loaded = new Promise<void>((resolve) => contents.once('did-finish-load', () => resolve()));
      contents.forcefullyCrashRenderer();
      await loaded;
      return contents.executeJavaScript(
        `new Promise((resolve) => {
          const look = () => document.body.innerText.includes('still here') ? resolve(document.body.innerText) : setTimeout(look, 50);
          look();
        })`,
      );
    });
    expect(text).toContain('still here');
  }
});

test('megabytes pasted in the place of a handle are refused at once', async ({ inspector }) => {
  await inspector.getByRole('button', { name: 'Import handle' }).click();
  const dialog = inspector.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Handle' }).focus();
  const began = Date.now();
  await inspector.evaluate(() => document.execCommand('insertText', false, 'ab'.repeat(5_000_000)));
  await expect(dialog.getByText(/This text is too long/)).toBeVisible();
  expect(Date.now() - began).toBeLessThan(10_000);
  await expect(dialog.getByRole('button', { name: 'Open', exact: true })).toBeDisabled();
});
