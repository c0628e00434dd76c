/** The Structure view: a format laid over live memory as a tree of named values. */
import type { Locator, Page } from '@playwright/test';
import type { Api } from './harness/api';
import { expect, screenshot, test } from './harness/test';
import { expectAccessible, inEveryLook } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const contents = (page: Page): Locator => page.getByRole('region', { name: 'Contents' });
const tree = (page: Page): Locator => page.getByRole('treegrid', { name: 'Values of the structure' });
const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'Format', exact: true });
const foot = (page: Page): Locator => contents(page).locator('footer');

/** The row of a named value: its cells are name, value, type, offset and note. */
const row = (page: Page, name: string): Locator =>
  tree(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell').first().getByText(name, { exact: true }) })
    .first();
const value = (page: Page, name: string): Locator => row(page, name).getByRole('gridcell').nth(1);

const HEADER = `struct Header {
  u32 magic [[hex, note("reads GPUI")]];
  u16 kind;
  u8 flags : { last : 1; compressed : 1; };
  f32 scale [[color("blue")]];
  u32 count;
  u16 lengths[count];
};
Header;
`;

/** 64 KiB with a header at its start and the same with other numbers at 0x100. */
async function buffer(page: Page, gpu: Api): Promise<string> {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 64 * 1024, label: 'messages', dtype: 'u8' });
  const header = (kind: number, scale: number, count: number) => {
    const bytes = new Uint8Array(32);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 0x49555047, true);
    view.setUint16(4, kind, true);
    view.setUint8(6, 2);
    view.setFloat32(8, scale, true);
    view.setUint32(12, count, true);
    for (let i = 0; i < count && i < 8; i++) view.setUint16(16 + 2 * i, 100 + i, true);
    return bytes;
  };
  await gpu.buffers.write.value({ id, offset: 0, bytes: header(7, 0.5, 3) });
  await gpu.buffers.write.value({ id, offset: 0x100, bytes: header(8, -2, 2) });
  await page.getByRole('grid', { name: 'Handles' }).getByText('messages', { exact: true }).first().click();
  await page.getByRole('tab', { name: 'Structure' }).click();
  return id;
}

test('reads memory by a format, follows it, and shows the bytes of a value', async ({ inspector, gpu }) => {
  const id = await buffer(inspector, gpu);
  await editor(inspector).fill(HEADER);
  await expect(value(inspector, 'magic')).toHaveText('0x49555047');
  await expect(row(inspector, 'magic')).toContainText('reads GPUI');
  await expect(value(inspector, 'kind')).toHaveText('7');
  await expect(value(inspector, 'scale')).toHaveText('0.5');
  await expect(value(inspector, 'compressed')).toHaveText('1');
  await expect(value(inspector, '[2]')).toHaveText('102');

  // What changes is read again and carries a cue.
  await gpu.buffers.write.value({ id, offset: 4, bytes: Uint8Array.of(9, 0) });
  await expect(value(inspector, 'kind')).toContainText('9');
  await expect(value(inspector, 'kind')).toHaveClass(/\bc1\b/);
  await expect(value(inspector, 'scale')).not.toHaveClass(/\bc1\b/);
  await expect(value(inspector, 'kind')).not.toHaveClass(/\bc1\b/, { timeout: 10_000 });

  // The array has as many elements as the count before it says.
  await gpu.buffers.write.value({ id, offset: 12, bytes: Uint8Array.of(1, 0, 0, 0) });
  await expect(row(inspector, '[1]')).toHaveCount(0);

  await inspector.getByLabel('Begins at').fill('0x100');
  await expect(value(inspector, 'scale')).toHaveText('-2');
  await inspector.getByText('BE', { exact: true }).click();
  await expect(value(inspector, 'kind')).toHaveText('2048');
  await inspector.getByText('LE', { exact: true }).click();

  await row(inspector, 'scale').getByRole('button', { name: '0x108' }).click();
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toBeVisible();
  await expect(foot(inspector)).toContainText('Selected 0x108–0x10b, 4 bytes');
});

test('marks what is wrong with a format and keeps the values before', async ({ inspector, gpu }) => {
  await buffer(inspector, gpu);
  await editor(inspector).fill(HEADER);
  await expect(value(inspector, 'kind')).toHaveText('7');

  await editor(inspector).evaluate((area: HTMLTextAreaElement) => {
    const at = area.value.indexOf('u16 kind');
    area.focus();
    area.setSelectionRange(at, at + 3);
  });
  await inspector.keyboard.type('u17');
  const problems = inspector.getByRole('list', { name: 'Problems of the format' });
  await expect(problems).toContainText('3:3');
  await expect(editor(inspector)).toHaveAttribute('aria-invalid', 'true');
  await expect(contents(inspector).locator('.fmt-wrong')).toHaveText('u17');
  await expect(contents(inspector)).toContainText(
    'The format has 1 problem; the values of the last good one are shown.',
  );
  await expect(value(inspector, 'kind')).toHaveText('7');
  await expect(tree(inspector)).toHaveClass(/is-stale/);
  // Typing goes on where it was.
  expect(await editor(inspector).evaluate((area: HTMLTextAreaElement) => area.selectionStart)).toBe(
    HEADER.indexOf('u16 kind') + 3,
  );
  await screenshot(inspector, 'structure-problem');
  await editor(inspector).press('Control+Home');
  await editor(inspector).press('F8');
  expect(await editor(inspector).evaluate((area: HTMLTextAreaElement) => area.selectionStart)).toBe(
    HEADER.indexOf('u16 kind'),
  );
  await inspector.keyboard.type('u32');
  await expect(problems).toHaveCount(0);
  await expect(value(inspector, 'kind')).toHaveText(String(7 + 0x20000));

  // Behind the end nothing is read, and nothing is made up.
  await editor(inspector).fill('struct Large { u8 first; u8 last @ 0x20000; };\nLarge;');
  await expect(value(inspector, 'last')).toHaveText('behind the end of the memory');
});

test('goes through long arrays, and formats are kept by name', async ({ app, inspector, gpu }) => {
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes: 64 * 1024,
    label: 'ramp',
    dtype: 'f32',
    fill: { pattern: 'ramp', start: 0, step: 1 },
  });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('ramp', { exact: true }).first().click();
  await inspector.getByRole('tab', { name: 'Structure' }).click();
  await editor(inspector).fill('struct All { f32 numbers[16384]; };\nAll;');
  await tree(inspector).getByRole('button', { name: 'Open numbers' }).click();
  await expect(value(inspector, '[3]')).toHaveText('3');
  await tree(inspector).press('End');
  await expect(tree(inspector)).toContainText('0 to 255 of 16,384');
  await tree(inspector).getByRole('button', { name: 'Last' }).click();
  await expect(tree(inspector)).toContainText('16,128 to 16,383 of 16,384');
  await expect(value(inspector, '[16383]')).toHaveText('16383');
  // It is followed there, too.
  await gpu.buffers.write.value({ id, offset: 4 * 16_383, bytes: new Uint8Array(4) });
  await expect(value(inspector, '[16383]')).toContainText('0');

  const formats = contents(inspector).getByRole('button', { name: 'Formats' });
  await formats.click();
  await inspector.getByRole('menuitem', { name: 'Keep this format as…' }).click();
  await inspector.getByRole('dialog').getByLabel('Name').fill('all floats');
  await inspector.keyboard.press('Enter');
  await formats.click();
  await inspector.getByRole('menuitemcheckbox', { name: 'Example: Flags of a barrier' }).click();
  await expect(value(inspector, 'arrived')).toBeVisible();
  await expect(editor(inspector)).toHaveValue(/Flag\[RANKS\]/);
  await formats.click();
  await inspector.getByRole('menuitemcheckbox', { name: 'all floats' }).click();
  await expect(editor(inspector)).toHaveValue(/numbers\[16384\]/);
  await formats.click();
  await inspector.getByRole('menuitem', { name: 'Forget all floats' }).click();
  await formats.click();
  await expect(inspector.getByRole('menuitemcheckbox', { name: 'all floats' })).toHaveCount(0);
  await inspector.keyboard.press('Escape');

  // The memory goes away: the values stay, as old ones.
  await gpu.buffers.free.value({ id });
  await expect(contents(inspector)).toContainText('These are the last bytes read');
  await expect(tree(inspector)).toHaveClass(/is-stale/);
  expect(app.problems).toEqual([]);
});

test('can be used by the keyboard alone', async ({ inspector, gpu }) => {
  await buffer(inspector, gpu);
  await editor(inspector).fill(HEADER);
  await expect(value(inspector, 'kind')).toHaveText('7');
  await inspector.getByRole('tab', { name: 'Structure' }).focus();
  await inspector.keyboard.press('ArrowLeft');
  await inspector.keyboard.press('ArrowRight');
  // On to the text, and from it to the tree: Tab is no character there.
  const focused = () => inspector.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  for (let i = 0; i < 40 && (await focused()) !== 'Values of the structure'; i++) await inspector.keyboard.press('Tab');
  expect(await focused()).toBe('Values of the structure');
  const active = () =>
    tree(inspector).evaluate((element) => {
      const id = element.getAttribute('aria-activedescendant') ?? '';
      return document.getElementById(id)?.querySelector('[role="gridcell"]')?.textContent ?? '';
    });
  await inspector.keyboard.press('Home');
  await inspector.keyboard.press('ArrowDown');
  expect(await active()).toBe('magic');
  for (let i = 0; i < 2; i++) await inspector.keyboard.press('ArrowDown');
  expect(await active()).toBe('flags');
  await inspector.keyboard.press('ArrowLeft');
  await expect(row(inspector, 'compressed')).toHaveCount(0);
  await inspector.keyboard.press('ArrowRight');
  await expect(row(inspector, 'compressed')).toHaveCount(1);
  await inspector.keyboard.press('Enter');
  await expect(foot(inspector)).toContainText('At 0x6');
});

test('nothing serious for accessibility, dark and light, large and small', async ({ app, inspector, gpu }) => {
  await buffer(inspector, gpu);
  await inEveryLook(app, inspector, async (look) => {
    await editor(inspector).fill(HEADER);
    await expect(value(inspector, 'kind')).toHaveText('7');
    await screenshot(inspector, `structure-${look}`);
    await expectAccessible(inspector, 'contents');
  });
});

test('the chosen row is the selection; its value, name and offset are copied', async ({ app, inspector, gpu }) => {
  await buffer(inspector, gpu);
  await editor(inspector).fill(HEADER);
  await expect(value(inspector, 'kind')).toHaveText('7');
  const copied = () => app.electron.evaluate(({ clipboard }) => clipboard.readText());
  const choose = (name: string) => inspector.getByRole('menuitem', { name }).click();
  await row(inspector, 'scale').click();
  await expect(foot(inspector)).toContainText('Selected 0x8–0xb, 4 bytes');
  await inspector.keyboard.press('Control+c');
  await expect.poll(copied).toBe('0.5');
  await inspector.keyboard.press('ArrowDown');
  await expect(foot(inspector)).toContainText('Selected 0xc–0xf, 4 bytes');
  await inspector.keyboard.press('Alt+c');
  await expect.poll(copied).toBe('0xc');
  await row(inspector, 'magic').click({ button: 'right' });
  await choose('Copy name and value');
  await expect.poll(copied).toBe('magic = 0x49555047');
  await expect(tree(inspector)).toBeFocused();
  // A struct has no value of its own: its bytes are copied.
  await inspector.keyboard.press('Home');
  await inspector.keyboard.press('Control+c');
  await expect.poll(copied).toContain('47 50 55 49 07 00 02 00');
  await row(inspector, 'kind').click({ button: 'right' });
  await choose('Begin the format here');
  await expect(inspector.getByLabel('Begins at')).toHaveValue('0x4');
});

const VERTICES = `struct Vec { f32 x, y, z; };
enum Kind : u32 { Free, Used };
struct Vertex { Vec position [[color("blue")]]; Kind kind; };
Vertex[];
`;

test('an array of structs is a table, scrolled to its last element, by keys alone', async ({ app, inspector, gpu }) => {
  const bytes = 3 * 2 ** 30 + 8;
  const { id } = await gpu.buffers.create.value({ device: 0, bytes, label: 'vertices', dtype: 'f32' });
  const vertex = (x: number, y: number, z: number, kind: number) => {
    const made = new Uint8Array(16);
    new Float32Array(made.buffer).set([x, y, z]);
    new Uint32Array(made.buffer)[3] = kind;
    return made;
  };
  await gpu.buffers.write.value({ id, offset: 16, bytes: vertex(1.5, -2, 0.25, 1) });
  const last = 3 * 2 ** 26 - 1;
  await gpu.buffers.write.value({ id, offset: 16 * last, bytes: vertex(7, 8, 9, 5) });
  await inspector.getByRole('grid', { name: 'Handles' }).getByText('vertices', { exact: true }).first().click();
  await inspector.getByRole('tab', { name: 'Structure' }).click();
  await editor(inspector).fill(VERTICES);
  await contents(inspector).getByText('Table', { exact: true }).click();

  const table = inspector.getByRole('grid', { name: 'Elements of Vertex' });
  const cells = (index: string) =>
    table
      .getByRole('row')
      .filter({ has: inspector.getByRole('rowheader', { name: index, exact: true }) })
      .getByRole('gridcell');
  await expect(table.getByRole('columnheader')).toHaveText([
    'Index',
    'Offset',
    'position.x',
    'position.y',
    'position.z',
    'kind',
  ]);
  await expect(cells('1')).toHaveText(['1.5', '-2', '0.25', 'Used']);
  const cut = (header: Element) => header.scrollWidth > header.clientWidth;
  for (const header of await table.getByRole('columnheader').all()) expect(await header.evaluate(cut)).toBe(false);
  await expect(table).toHaveAttribute('aria-rowcount', String(last + 2));

  await table.focus();
  await inspector.keyboard.press('Control+End');
  await expect(cells(last.toLocaleString('en-US'))).toHaveText(['7', '8', '9', '5']);
  await expect(foot(inspector)).toContainText('Selected 0xbffffffc–0xbfffffff, 4 bytes');
  await inspector.keyboard.press('Home');
  await inspector.keyboard.press('Control+c');
  await expect.poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText())).toBe('7');
  // It follows the memory, with a cue.
  await gpu.buffers.write.value({ id, offset: 16 * last, bytes: vertex(-7, 8, 9, 1) });
  await expect(cells(last.toLocaleString('en-US')).first()).toHaveText('-7');
  await expect(cells(last.toLocaleString('en-US')).first()).toHaveClass(/\bc1\b/);
  await inspector.keyboard.press('Control+Home');
  await inspector.keyboard.press('ArrowDown');
  await expect(table.locator('[aria-selected="true"]')).toHaveText('1.5');
  await inspector.keyboard.press('Enter');
  await expect(inspector.getByRole('grid', { name: 'Bytes' })).toBeFocused();
  await expect(foot(inspector)).toContainText('Selected 0x10–0x13, 4 bytes');

  // What is no array says how to make one.
  await inspector.getByRole('tab', { name: 'Structure' }).click();
  await inEveryLook(app, inspector, async () => expectAccessible(inspector, 'contents'));
  await editor(inspector).fill(VERTICES.replace('Vertex[];', 'Vertex;'));
  await expect(contents(inspector)).toContainText('A table has a row for each element.');
});

test('a program asks for fewer elements of each array', async ({ inspector, gpu }) => {
  const id = await buffer(inspector, gpu);
  const { root } = await gpu.contents.decode.value({ id, format: 'u8 a[100]; u16 b[100];', elements: 2 });
  expect(root.children?.map(({ count, children }) => [count, children?.length])).toEqual([
    [100, 2],
    [100, 2],
  ]);
});
