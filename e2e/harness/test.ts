/**
 * `test` for this app: the fixture `app` launches it once per test and closes it afterwards, which also checks that
 * nothing went wrong in a page and nothing is left behind.
 */
import { test as base, type Page } from '@playwright/test';
import { type Api, api } from './api';
import { App, type LaunchOptions } from './app';

interface Fixtures {
  /** `test.use({ launch: { env: { GPU_IPC_SIM_DEVICES: '2' } } })` */
  launch: LaunchOptions;
  app: App;
  /** The Inspector window and its API. */
  inspector: Page;
  gpu: Api;
}

export const test = base.extend<Fixtures>({
  launch: [{}, { option: true }],
  app: async ({ launch }, use, info) => {
    const app = await App.launch(launch);
    try {
      await use(app);
    } finally {
      if (info.status !== info.expectedStatus) {
        for (const [i, page] of app.electron.windows().entries()) {
          const body = await page.screenshot({ timeout: 3000 }).catch(() => undefined);
          if (body) await info.attach(`window-${i}`, { body, contentType: 'image/png' });
        }
        await info.attach('output', { body: app.output, contentType: 'text/plain' });
      }
      await app.close();
    }
  },
  inspector: async ({ app }, use) => use(await app.inspector()),
  gpu: async ({ inspector }, use) => use(api(inspector)),
});

export { expect } from '@playwright/test';

/** Whether this run drives a real GPU. */
export const realDriver = process.env.GPU_IPC_DRIVER === 'real';

/** A picture of a window in test-results/screens/, for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `test-results/screens/${name}.png` });
}
