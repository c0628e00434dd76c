/** The Inspector window's parts by what a person calls them. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import { api } from './api';
import type { App } from './app';

export const handles = (page: Page): Locator => page.getByRole('grid', { name: 'Handles' });
export const details = (page: Page): Locator => page.getByRole('region', { name: 'Details' });
export const calls = (page: Page): Locator => page.getByRole('grid', { name: 'Driver calls' });
export const devices = (page: Page): Locator => page.getByRole('navigation', { name: 'Devices' });
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

/** Gives a window's content this size: that of `page`, the Inspector's unless given. */
export async function resize(app: App, width: number, height: number, page?: Page): Promise<void> {
  const shown = page ?? (await app.inspector());
  const window = await app.electron.browserWindow(shown);
  await window.evaluate((each, [w, h]) => each.setContentSize(w, h), [width, height] as const);
  await expect.poll(() => shown.evaluate(() => `${innerWidth}×${innerHeight}`)).toBe(`${width}×${height}`);
}

/** Nothing that axe finds, in the window or in one `area` of it (`data-area`). */
export async function expectAccessible(page: Page, area?: string): Promise<void> {
  // Legacy mode: axe otherwise opens a page of its own, which an Electron app has no place for.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  if (area !== undefined) axe.include(`[data-area="${area}"]`);
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
}

/** Waits until what follows a change of size or theme is over: layout, and transitions that end. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    await frame();
    const ending = document.getAnimations().filter((each) => Number.isFinite(each.effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map((each) => each.finished));
  });
}

/** In both themes, in a large and in the smallest window: what `look` checks there, with a name for its picture. */
export async function inEveryLook(app: App, page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const name of ['dark', 'light'] as const) {
    await theme(page, name);
    for (const [width, height] of [
      [1440, 900],
      [1024, 640],
    ] as const) {
      await resize(app, width, height);
      await settled(page);
      await look(`${name}-${width}`);
    }
  }
}
