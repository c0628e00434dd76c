/** The producer and consumer windows by what a person calls their parts. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { App, DemoWindow } from './app';
import { button } from './window';

/** A step of a demo window by its title. */
export const step = (page: Page, title: string): Locator => page.getByRole('listitem', { name: title, exact: true });

/** What the strip shows, as hex digits; empty for cells without a byte. */
export const strip = (page: Page): Promise<string> =>
  page
    .getByRole('grid', { name: 'Bytes' })
    .getByRole('gridcell')
    .evaluateAll((cells) => cells.map((cell) => cell.firstElementChild?.textContent ?? '').join(''));

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** Polls until the strip begins with this text. */
export const expectStrip = (page: Page, text: string) =>
  expect.poll(() => strip(page), { message: `the strip shows ${text}` }).toMatch(new RegExp(`^${hex(text)}`));

/** Presses Create and Export; the buffer is called `greeting` unless named. */
export async function createAndExport(producer: Page, name?: string): Promise<void> {
  if (name !== undefined) await step(producer, 'Create').getByLabel('Name').fill(name);
  await button(step(producer, 'Create'), 'Create').click();
  await button(step(producer, 'Export'), 'Export').click();
  await expect(step(producer, 'Export')).toContainText('nobody has it open');
}

/** Chooses what was exported under this name. */
export async function choose(consumer: Page, name: string): Promise<void> {
  await step(consumer, 'Choose a handle')
    .getByRole('radio', { name: new RegExp(name) })
    .click();
}

export async function writeText(producer: Page, text: string): Promise<void> {
  await step(producer, 'Fill').getByLabel('Text to write').fill(text);
  await button(step(producer, 'Fill'), 'Write').click();
}

/** A producer that exports `greeting`, and a consumer that has it open. */
export async function pair(app: App): Promise<{ producer: DemoWindow; consumer: DemoWindow }> {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  await createAndExport(producer.page);
  await choose(consumer.page, 'greeting');
  await button(step(consumer.page, 'Open'), 'Open').click();
  await expect(step(consumer.page, 'Open')).toContainText('1 reference');
  return { producer, consumer };
}
