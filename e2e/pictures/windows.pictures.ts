/** The windows as a person sees them in the middle of work, in both themes. PICTURES names the folder. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { DtypeId } from '#contract/dtypes';
import type { Fill } from '#contract/values';
import { api, exportHandle } from '../harness/api';
import type { App } from '../harness/app';
import { expect, test } from '../harness/test';

const folder = process.env.PICTURES ?? 'test-results/pictures';
const MIB = 1 << 20;

const picture = (page: Page, name: string) =>
  page.screenshot({ path: join(folder, `${name}.png`), animations: 'allow' });

/** Content size of a window in pixels, as the mock-ups have it. */
async function resize(app: App, page: Page, width: number, height: number): Promise<void> {
  const window = await app.electron.browserWindow(page);
  await window.evaluate((each, [w, h]) => each.setContentSize(w, h), [width, height] as const);
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
}

/** A producer that shares two buffers and an event, a consumer that holds them, an Inspector that looks on. */
async function share(app: App) {
  const inspector = await app.api();
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const make = async (label: string, bytes: number, dtype: DtypeId, fill: Fill) => {
    const { id } = await producer.api.buffers.create.value({ device: 0, bytes, label, dtype, fill });
    return exportHandle(producer.api, { id });
  };
  const activations = await make('activations', 4 * MIB, 'f32', { pattern: 'ramp', start: 0, step: 0.25 });
  const kv = await make('kv cache', 64 * MIB, 'bf16', { pattern: 'random', seed: 7 });
  const text = await make('shared text', 2 * MIB, 'u8', { pattern: 'text', text: 'Hello from {pid} tick {n}' });
  const event = await producer.api.events.create.value({ device: 0, label: 'batch done' });
  const exported = await producer.api.events.export.value({ id: event.id });
  for (const { handle } of [text, kv]) await consumer.api.imports.open.value({ handle, device: 0 });
  const opened = await consumer.api.events.open.value({ handle: exported.handle, device: 0 });
  await inspector.imports.open.value({ exportId: text.id, device: 0 });
  await inspector.imports.open.value({ handle: activations.handle, device: 0 });
  await producer.api.events.record.value({ id: event.id });
  await consumer.api.events.wait.value({ id: opened.id, timeoutMs: 5000 });
  await producer.api.buffers.animate.value({ id: text.allocationId, hz: 4 });
  return { producer, consumer };
}

test('inspector, producer and consumer', async ({ app, inspector }) => {
  const { producer, consumer } = await share(app);
  await resize(app, inspector, 1440, 900);
  for (const { page } of [producer, consumer]) await resize(app, page, 520, 760);
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('shared text').first().click();
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toContainText('48');
  await consumer.page.getByRole('radio', { name: /shared text/ }).check({ force: true });
  for (const theme of ['dark', 'light'] as const) {
    await api(inspector).settings.set.value({ theme });
    await inspector.waitForTimeout(1200);
    await picture(inspector, `main-${theme}`);
    await picture(producer.page, `producer-${theme}`);
    await picture(consumer.page, `consumer-${theme}`);
  }
  await api(inspector).demo.kill.value({ peerId: producer.peerId });
  await inspector.waitForTimeout(1500);
  await picture(inspector, 'lost-light');
  await api(inspector).settings.set.value({ theme: 'dark' });
  await inspector.waitForTimeout(300);
  await picture(inspector, 'lost-dark');
});

test('first start', async ({ app, inspector, gpu }) => {
  await resize(app, inspector, 1440, 900);
  for (const theme of ['dark', 'light'] as const) {
    await gpu.settings.set.value({ theme });
    await inspector.waitForTimeout(500);
    await picture(inspector, `empty-${theme}`);
  }
});
