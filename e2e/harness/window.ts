/** The Inspector window's parts by what a person calls them. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import { api } from './api';
import type { App } from './app';

export const handles = (page: Page): Locator => page.getByRole('grid', { name: 'Handles' });
export const details = (page: Page): Locator => page.getByRole('region', { name: 'Details' });
export const button = (scope: Page | Locator, name: string | RegExp): Locator =>
  scope.getByRole('button', { name, exact: true });
export const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name });

/** Rows of the handle table that begin with these words. */
export const row = (page: Page, label: string | RegExp): Locator => handles(page).getByRole('row', { name: label });

/** Opens the menu of a button and chooses an item. */
export async function menu(page: Page, trigger: string | RegExp, item: string | RegExp): Promise<void> {
  await button(page, trigger).click();
  await page.getByRole('menuitem', { name: item }).click();
}

export async function theme(page: Page, name: 'dark' | 'light'): Promise<void> {
  await api(page).settings.set.value({ theme: name });
  await expect(page.locator('html')).toHaveAttribute('data-theme', name);
}

export async function resize(app: App, width: number, height: number): Promise<void> {
  await app.electron.evaluate(
    ({ BrowserWindow }, [w, h]) => {
      const inspector = BrowserWindow.getAllWindows().find((window) =>
        window.getTitle().startsWith('GPU IPC Inspector'),
      );
      inspector?.setContentSize(w, h);
    },
    [width, height] as const,
  );
  const page = await app.inspector();
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(width);
}

export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
}

/** In both themes, in a large and in the smallest window: what `look` checks there, with a name for its picture. */
export async function inEveryLook(app: App, page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const name of ['dark', 'light'] as const) {
    await theme(page, name);
    for (const [width, height] of [
      [1440, 900],
      [1024, 700],
    ] as const) {
      await resize(app, width, height);
      await page.waitForTimeout(300);
      await look(`${name}-${width}`);
    }
  }
}
