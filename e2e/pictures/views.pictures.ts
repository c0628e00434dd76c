/**
 * The views of memory, the ways to share it and the dialogs, in both themes, each with something to see in it. PICTURES
 * names the folder. JPEG: many and large, and only looked at.
 */
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import type { DtypeId } from '#contract/dtypes';
import type { Api } from '../harness/api';
import { exportHandle } from '../harness/api';
import { expect, test } from '../harness/test';
import { button, details, dialog, resize, row, theme } from '../harness/window';

const folder = process.env.PICTURES ?? 'test-results/pictures';
const MIB = 1 << 20;

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const field = (page: Page, name: string): Locator => contents(page).getByRole('textbox', { name, exact: true });

test.beforeEach(async ({ app }) => resize(app, 1280, 800));

/** Elements that reach below the window although they do not lie in something that scrolls. */
const tallest = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    if (document.documentElement.scrollHeight <= innerHeight) return [];
    return [...document.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().bottom + scrollY > innerHeight + 1)
      .map(
        (element) =>
          `${element.tagName}.${element.className} ${element.getBoundingClientRect().bottom} ${getComputedStyle(element).position}`,
      );
  });

async function pictures(page: Page, name: string, prepare?: () => Promise<unknown>): Promise<void> {
  for (const look of ['dark', 'light'] as const) {
    await theme(page, look);
    await prepare?.();
    // What was written to make the picture is no change worth showing.
    await expect(page.getByText(/bytes? changed/)).toHaveCount(0, { timeout: 15_000 });
    await page.waitForTimeout(700);
    expect(await tallest(page), 'what is taller than the window').toEqual([]);
    await page.screenshot({ path: join(folder, `${name}-${look}.jpg`), type: 'jpeg', quality: 72 });
  }
}

async function pick(page: Page, name: string, option: string): Promise<void> {
  await contents(page)
    .getByRole('combobox', { name: new RegExp(`^${name}: `) })
    .click();
  await page.getByRole('option', { name: option }).first().click();
}

/** A buffer of the Inspector with these bytes, on screen in a view that has the place of the call log too. */
async function show(page: Page, gpu: Api, label: string, dtype: DtypeId, bytes: Uint8Array, view: string) {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: bytes.byteLength, label, dtype });
  for (let offset = 0; offset < bytes.byteLength; offset += MIB)
    await gpu.buffers.write.value({ id, offset, bytes: bytes.slice(offset, offset + MIB) });
  await row(page, label).click();
  await page.keyboard.press('Control+j');
  await page.getByRole('tab', { name: view }).click();
  return id;
}

const bytesOf = (numbers: Float32Array): Uint8Array<ArrayBuffer> => Uint8Array.from(new Uint8Array(numbers.buffer));

/** Normally distributed, the same in every run. */
function normals(count: number): Float32Array {
  let state = 1;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return Float32Array.from({ length: count }, () => {
    return 0.02 * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  });
}

/** Weights as training leaves them, with a part that was never written and a few values that are none. */
function weights(): Uint8Array {
  const numbers = normals(MIB);
  numbers.fill(0, 3 * (MIB / 4), 3 * (MIB / 4) + 40_000);
  for (const i of [777, 500_000, 500_001, 900_123]) numbers[i] = Number.NaN;
  numbers[600_000] = Number.POSITIVE_INFINITY;
  return bytesOf(numbers);
}

test('statistics', async ({ inspector, gpu }) => {
  await show(inspector, gpu, 'layer 7 weights', 'f32', weights(), 'Statistics');
  const compute = contents(inspector).getByRole('button', { name: /^Compute/ });
  if (await compute.first().isVisible()) await compute.first().click();
  await expect(contents(inspector)).toContainText('Checksum', { timeout: 20_000 });
  await pictures(inspector, 'statistics');
});

test('changes', async ({ inspector, gpu }) => {
  const id = await show(inspector, gpu, 'layer 7 weights', 'f32', weights(), 'Changes');
  await inspector.getByRole('textbox', { name: 'Name of the snapshot' }).fill('before the step');
  await contents(inspector)
    .getByRole('button', { name: /^Take / })
    .click();
  const again = button(contents(inspector), 'Compare before the step with the memory now');
  await expect(again).toBeVisible();
  // An optimiser's step that reached three parts, one of them much too far.
  for (const [at, count, scale] of [
    [4096, 512, 0.001],
    [262_144, 64, 0.002],
    [777_000, 3, 40],
  ] as const) {
    const numbers = normals(count).map((value) => 0.01 + value * scale);
    await gpu.buffers.write.value({ id, offset: 4 * at, bytes: bytesOf(numbers) });
  }
  await again.click();
  await expect(contents(inspector)).toContainText(/differ/, { timeout: 20_000 });
  await pick(inspector, 'Compare as', 'f32');
  await contents(inspector)
    .getByRole('button', { name: /^Compare \d/ })
    .click();
  await expect(contents(inspector)).toContainText(/values differ|elements differ|f32 differ/);
  await contents(inspector).getByText('0x4000', { exact: true }).first().click();
  await pictures(inspector, 'changes');
});

const FORMAT = `enum Kind : u16 { Data = 1, Ack, Close = 0xff };

struct Message {
  u32 magic [[hex, note("reads GPUI")]];
  Kind kind [[color("green")]];
  u16 flags : { last : 1; compressed : 1; priority : 3; };
  u64 sequence;
  f32 scale [[color("blue")]];
  u32 count;
  f32 values[count];
  char sender[16];
};

Message;
`;

const VERTICES = `enum Kind : u16 { Plain, Seam };

struct Vec { f32 x, y, z; };

struct Vertex {
  Vec position [[color("blue")]];
  padding[12];
  u32 color [[hex, color("orange")]];
  Kind kind;
};

Vertex[];
`;

test('structure', async ({ inspector, gpu }) => {
  const bytes = new Uint8Array(64 * 1024);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x49555047, true);
  view.setUint16(4, 1, true);
  view.setUint16(6, 0b01101, true);
  view.setBigUint64(8, 48_213n, true);
  view.setFloat32(16, 0.125, true);
  view.setUint32(20, 6, true);
  for (let i = 0; i < 6; i++) view.setFloat32(24 + 4 * i, Math.sin(i) * 10, true);
  bytes.set(new TextEncoder().encode('worker 3'), 48);
  await show(inspector, gpu, 'message ring', 'u8', bytes, 'Structure');
  await inspector.getByRole('textbox', { name: 'Format', exact: true }).fill(FORMAT);
  await inspector.keyboard.press('Control+Home');
  await expect(inspector.getByRole('treegrid', { name: 'Values of the structure' })).toContainText('48213');
  await pictures(inspector, 'structure');
});

test('structure as a table', async ({ inspector, gpu }) => {
  // A helix of vertices, a few of which are of another kind.
  const count = 2048;
  const bytes = new Uint8Array(32 * count);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    const turn = i / 24;
    const [x, y, z] = [Math.cos(turn), Math.sin(turn), i / 100];
    for (const [k, number] of [x, y, z].entries()) view.setFloat32(32 * i + 4 * k, number, true);
    view.setUint32(32 * i + 24, 0xff0080ff - (i % 64) * 0x20000, true);
    view.setUint16(32 * i + 28, i % 9 === 4 ? 1 : 0, true);
  }
  await show(inspector, gpu, 'vertices', 'f32', bytes, 'Structure');
  await inspector.getByRole('textbox', { name: 'Format', exact: true }).fill(VERTICES);
  await inspector.keyboard.press('Control+Home');
  await contents(inspector).getByText('Table', { exact: true }).click();
  await expect(inspector.getByRole('grid', { name: 'Elements of Vertex' })).toContainText('Seam');
  await pictures(inspector, 'table');
});

test('values', async ({ inspector, gpu }) => {
  const numbers = normals(16 * 1024);
  numbers.set([Number.NaN, Number.POSITIVE_INFINITY, -0, 1e-40, 0.1], 21);
  await show(inspector, gpu, 'embeddings', 'f32', bytesOf(numbers), 'Values');
  await button(contents(inspector), 'Bits').click();
  await inspector.getByRole('grid', { name: 'Values' }).focus();
  for (const key of ['ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowRight']) await inspector.keyboard.press(key);
  await pictures(inspector, 'values');
});

test('tensor', async ({ inspector, gpu }) => {
  // Positions as transformers encode them: [4 heads, 64 positions, 32 dimensions].
  const [heads, positions, width] = [4, 64, 32] as const;
  const numbers = new Float32Array(heads * positions * width);
  for (let i = 0; i < numbers.length; i++) {
    const [head, position, d] = [Math.floor(i / (positions * width)), Math.floor(i / width) % positions, i % width];
    const angle = ((head + 1) * position) / 200 ** ((d - (d % 2)) / width);
    numbers[i] = d % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
  }
  await show(inspector, gpu, 'positions', 'f32', bytesOf(numbers), 'Tensor');
  await field(inspector, 'Shape').fill('4x64x32');
  await contents(inspector).getByRole('switch', { name: 'Heat map' }).click();
  await pictures(inspector, 'tensor');
});

/** Part of the Mandelbrot set in colours: 320 × 200 RGB. */
function frame(width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    const re = -0.7508 + ((i % width) / width) * 0.009;
    const im = 0.1074 + (Math.floor(i / width) / height) * 0.005625;
    let [x, y, n] = [0, 0, 0];
    while (x * x + y * y < 16 && n < 600) [x, y, n] = [x * x - y * y + re, 2 * x * y + im, n + 1];
    const smooth = n === 600 ? 0 : Math.sqrt((n - Math.log2(Math.log2(x * x + y * y + 1) / 2)) / 600);
    const wave = (phase: number) => 127 - 127 * Math.cos(2 * Math.PI * (smooth * 2 + phase));
    if (n < 600) pixels.set([wave(0.1), wave(0), wave(-0.15)], 3 * i);
  }
  return pixels;
}

test('image', async ({ inspector, gpu }) => {
  await show(inspector, gpu, 'camera frame', 'u8', frame(320, 200), 'Image');
  await field(inspector, 'Width').fill('320');
  await field(inspector, 'Height').fill('200');
  await pick(inspector, 'Channels', '3, RGB');
  await expect(inspector.getByRole('application', { name: /320 × 200/ })).toBeVisible();
  await pictures(inspector, 'image');
});

test('pool', async ({ app, inspector, gpu }) => {
  await resize(app, 1440, 800);
  const pool = await gpu.pools.create.value({ device: 0, label: 'activations' });
  await gpu.pools.export.value({ id: pool.id });
  const consumer = await app.open('consumer');
  for (const [label, bytes] of [
    ['layer 0', 8 * MIB],
    ['layer 1', 16 * MIB],
  ] as const) {
    const made = await gpu.buffers.create.value({
      device: 0,
      bytes,
      label,
      poolId: pool.id,
      fill: { pattern: 'ramp' },
    });
    const exported = await gpu.buffers.export.value({ id: made.id });
    await consumer.api.imports.open.value({ exportId: exported.id, device: 0 });
  }
  const scratch = await gpu.buffers.create.value({ device: 0, bytes: 12 * MIB, label: 'scratch', poolId: pool.id });
  await gpu.buffers.free.value({ id: scratch.id });
  await row(inspector, /^activations pool Inspector/).click();
  await button(details(inspector), 'Refresh').click();
  await expect(details(inspector).getByRole('meter', { name: 'Memory of the pool' })).toBeVisible();
  await button(inspector, 'Newest').click();
  await pictures(inspector, 'pool');
});

test('virtual memory', async ({ app, inspector, gpu }) => {
  await resize(app, 1440, 800);
  const range = await gpu.virtual.reserve.value({ device: 0, bytes: 10 * MIB, label: 'kv cache' });
  const map = async (label: string, bytes: number, offsets: readonly number[]) => {
    const { id } = await gpu.virtual.create.value({ device: 0, bytes, label });
    for (const offset of offsets) await gpu.virtual.map.value({ id: range.id, physicalId: id, offset });
    return id;
  };
  const shared = await map('prompt', 2 * MIB, [0, 8 * MIB]);
  await map('block 1', 4 * MIB, [2 * MIB]);
  await gpu.virtual.access.value({ id: range.id, access: 'read-write' });
  await gpu.virtual.export.value({ id: shared });
  const text = new TextEncoder().encode('The same bytes at both ends of the range. ');
  await gpu.buffers.write.value({ id: range.id, offset: 0, bytes: text });
  const consumer = await app.open('consumer');
  const { exports } = await gpu.ledger.snapshot.value();
  const exportId = exports.find(({ objectId }) => objectId === shared)?.id ?? '';
  await consumer.api.imports.open.value({ exportId, device: 0 });
  await row(inspector, /^kv cache .*virtual Inspector/).click();
  await expect(details(inspector).getByRole('figure', { name: /^kv cache/ })).toBeVisible();
  await pictures(inspector, 'virtual');
});

test('how memory can be shared, and a trial', async ({ inspector, gpu }) => {
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'flags', dtype: 'u8' });
  await gpu.buffers.create.value({ device: 0, bytes: 64 * 1024, label: 'user tokens', dtype: 'i32' });
  await row(inspector, /^flags/).click();
  await button(details(inspector), 'More actions').click();
  await inspector.getByRole('menuitem', { name: 'How can this be shared?' }).click();
  const form = dialog(inspector, 'How can flags be shared?');
  await button(form, 'Try it: Legacy handle').click();
  const result = form.getByRole('group', { name: 'Result of the trial' });
  await expect(result).toContainText('It works', { timeout: 20_000 });
  await pictures(inspector, 'sharing');
});

test('import of a pasted text', async ({ app, inspector }) => {
  const producer = await app.open('producer');
  const make = async (label: string) => {
    const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MIB, label });
    return Buffer.from((await exportHandle(producer.api, { id })).handle);
  };
  const [first, second] = [await make('weights'), await make('biases')];
  const bytes = second.toString('hex').replace(/../g, '\\x$&');
  await button(inspector, 'Import handle').first().click();
  const form = dialog(inspector, 'Import handle');
  await form.getByText('Pasted text', { exact: true }).click();
  await form
    .getByRole('textbox', { name: 'Handle' })
    .fill(
      [
        `12:03:55 worker 3 sent ${first.toString('base64')}`,
        `12:03:56 worker 4: (0, b'${bytes}', 4096, 1024, b'/torch_4711_1_0', 0, b'${'\\x00'.repeat(64)}', False)`,
      ].join('\n'),
    );
  const found = form.getByRole('radiogroup', { name: 'Found in the text' }).getByRole('radio');
  await expect(found).toHaveCount(2);
  await found.first().press('ArrowDown');
  await expect(form.getByText('Producer 1, alive, not this process')).toBeVisible();
  await pictures(inspector, 'import');
});

test('code for the other side', async ({ app, inspector }) => {
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MIB, label: 'weights' });
  await producer.api.buffers.export.value({ id });
  await row(inspector, /^weights/).click({ button: 'right' });
  await inspector.getByRole('menuitem', { name: 'Code for the other side…' }).click();
  const form = dialog(inspector, /^Code for the other side/);
  await form.getByRole('radio', { name: 'PyTorch, Python', exact: true }).check({ force: true });
  await expect(form.getByRole('region', { name: 'Code' })).toContainText('torch');
  await pictures(inspector, 'code');
});
