/** The import dialog as a person uses it: any text, every mechanism, descriptors of other processes, and what is known before. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import type { MemoryKind } from '#contract/values';
import { type Api, api } from './harness/api';
import type { App, DemoWindow } from './harness/app';
import { answerFileDialogs } from './harness/file-dialogs';
import { expect, realDriver, screenshot, test } from './harness/test';
import { expectAccessible, inEveryLook, resize } from './harness/window';

test.describe.configure({ timeout: 120_000 });

const MIB = 2 ** 20;
const row = (page: Page, label: RegExp): Locator =>
  page.getByRole('grid', { name: 'Handles' }).getByRole('row', { name: label });
const button = (scope: Page | Locator, name: string): Locator => scope.getByRole('button', { name, exact: true });
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const escaped = (bytes: Uint8Array): string => hex(bytes).replace(/../g, '\\x$&');

async function openDialog(page: Page, from?: 'Pasted text' | 'Another process'): Promise<Locator> {
  await button(page, 'Import handle').first().click();
  const form = page.getByRole('dialog', { name: 'Import handle' });
  if (from !== undefined) await form.getByText(from, { exact: true }).click();
  return form;
}

const pasted = (form: Locator): Locator => form.getByRole('textbox', { name: 'Handle' });
const open = (form: Locator): Locator => button(form, 'Open');
const findings = (form: Locator): Locator => form.getByRole('region', { name: 'Known before it is opened' });

/** The handle of a buffer of the Inspector's own process, which cannot open it. */
async function ownHandle(gpu: Api): Promise<Uint8Array> {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'own' });
  return (await gpu.buffers.export.value({ id })).handle ?? new Uint8Array();
}

/** A producer that exports memory of a kind. */
async function exporting(app: App, label: string, memory: MemoryKind = 'device', bytes = 2 * MIB) {
  const producer = await app.open('producer');
  return { producer, ...(await exportFrom(producer, label, memory, bytes)) };
}

async function exportFrom(producer: DemoWindow, label: string, memory: MemoryKind = 'device', bytes = 2 * MIB) {
  const fill = { pattern: 'text', text: label } as const;
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes, label, memory, fill });
  const exported = await producer.api.buffers.export.value({ id });
  return { id, exportId: exported.id, handle: exported.handle ?? new Uint8Array(), fds: exported.fds };
}

/** The bytes of the Inspector's newest mapping, as text. */
async function newest(page: Page, length: number) {
  const gpu = api(page);
  const { mappings } = await gpu.ledger.snapshot.value();
  const mapping = mappings.filter(({ state }) => state === 'open').sort((a, b) => b.openedAt - a.openedAt)[0];
  if (mapping === undefined) throw new Error('nothing is open');
  const { bytes } = await gpu.memory.read.value({ id: mapping.id, offset: 0, length });
  return { mapping, text: new TextDecoder().decode(bytes) };
}

test('several handles in one text are listed; the chosen one opens with what the text says of it', async ({
  app,
  inspector,
}) => {
  const { producer, handle } = await exporting(app, 'weights');
  const other = await exportFrom(producer, 'biases');
  const form = await openDialog(inspector, 'Pasted text');
  const counter = '/torch_4711_1_0';
  await pasted(form).fill(
    [
      `12:03:55 worker 3 sent handle ${hex(handle)}`,
      `12:03:56 worker 4: (0, b'${escaped(other.handle)}', 4096, 1024, b'${counter}', 0, b'${'\\x00'.repeat(64)}', False)`,
    ].join('\n'),
  );
  const found = form.getByRole('radiogroup', { name: 'Found in the text' });
  await expect(found.getByRole('radio')).toHaveCount(2);
  await expect(found.getByRole('radio').first()).toBeChecked();
  await expect(form.getByText('Producer 1, alive, not this process')).toBeVisible();

  await found.getByRole('radio').first().press('ArrowDown');
  await expect(found.getByRole('radio').last()).toBeChecked();
  await expect(form.getByRole('textbox', { name: 'Offset' })).toHaveValue('1024');
  await expect(form.getByRole('textbox', { name: 'Length' })).toHaveValue('4096');
  await expect(form.getByText(`Counted in ${counter}`)).toBeVisible();
  await screenshot(inspector, 'import-several');
  await expectAccessible(inspector);
  await open(form).click();
  await expect(form).toBeHidden();
  const { mapping } = await newest(inspector, 1);
  expect(mapping).toMatchObject({ exportId: other.exportId, offset: 1024, bytes: 4096 });
});

test('where a text stops making sense is shown in it', async ({ app, inspector }) => {
  const { handle } = await exporting(app, 'weights');
  const form = await openDialog(inspector, 'Pasted text');
  const broken = `${hex(handle).slice(0, 40)}zz${hex(handle).slice(42)}`;
  const text = `first line\nsecond line\nhandle = "${broken}"`;
  await pasted(form).fill(text);
  await expect(pasted(form)).toHaveAttribute('aria-invalid', 'true');
  const place = form.getByRole('button', { name: /^Line 3, column \d+$/ });
  await expect(place).toBeVisible();
  await expect(open(form)).toBeDisabled();
  await screenshot(inspector, 'import-problem');
  await place.click();
  const selected = await pasted(form).evaluate((area: HTMLTextAreaElement) => [area.selectionStart, area.selectionEnd]);
  const start = text.indexOf('handle');
  expect(selected[0]).toBeGreaterThanOrEqual(start);
  expect(selected[1]).toBeLessThanOrEqual(text.length);
  expect(selected[1]).toBeGreaterThan(selected[0] ?? 0);
  await expect(pasted(form)).toBeFocused();
  await expectAccessible(inspector);

  await pasted(form).fill('');
  await expect(pasted(form)).not.toHaveAttribute('aria-invalid', 'true');
});

test('a file that is opened is a text; one of 64 bytes is the handle itself; others are refused with the reason', async ({
  app,
  inspector,
}, info) => {
  const { handle, exportId } = await exporting(app, 'from a file');
  const form = await openDialog(inspector, 'Pasted text');
  const opening = async (name: string, bytes: Uint8Array | string) => {
    const path = info.outputPath(name);
    writeFileSync(path, bytes);
    await answerFileDialogs(app, path);
    await button(form, 'Open file…').focus();
    await inspector.keyboard.press('Enter');
    return path;
  };
  await opening('handle.bin', handle);
  await expect(pasted(form)).toHaveValue(hex(handle));
  await opening('server.log', `got ${hex(handle)}\n`);
  await expect(pasted(form)).toHaveValue(`got ${hex(handle)}\n`);

  const large = await opening('large.log', 'x'.repeat(1024 * 1024 + 1));
  await expect(form.getByRole('alert')).toContainText(`${large} cannot be read. It has 1,048,577 bytes`);
  await screenshot(inspector, 'import-file-refused');
  await expectAccessible(inspector);
  await opening('zeros.bin', new Uint8Array(100));
  await expect(form.getByRole('alert')).toContainText('It is no text');
  // What was there stays, also when nothing is chosen.
  await answerFileDialogs(app, undefined);
  await button(form, 'Open file…').click();
  await expect(pasted(form)).toHaveValue(`got ${hex(handle)}\n`);
  await open(form).click();
  await expect(form).toBeHidden();
  const { mapping, text } = await newest(inspector, 11);
  expect(mapping.exportId).toBe(exportId);
  expect(text).toBe('from a file');
});

test('a file that is dropped on it is read too, or refused', async ({ app, inspector }) => {
  const { handle } = await exporting(app, 'dropped');
  const form = await openDialog(inspector, 'Pasted text');
  const drop = (name: string, bytes: Uint8Array) =>
    pasted(form).evaluate(
      (area, [called, numbers]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(numbers)], called));
        area.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [name, Array.from(bytes)] as const,
    );
  await drop('picture.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'));
  await expect(form.getByRole('alert')).toContainText('picture.png cannot be read. It is no text');
  await drop('handle.bin', handle);
  await expect(pasted(form)).toHaveValue(hex(handle));
  await expect(form.getByRole('alert')).toHaveCount(0);
});

test('a descriptor is saved for its owner alone, stays hidden, and is opened from its file', async ({
  app,
  inspector,
}, info) => {
  const { exportId, handle } = await exporting(app, 'weights');
  await row(inspector, /^weights/).click();
  await row(inspector, /^weights/).click({ button: 'right' });
  await inspector.getByRole('menuitem', { name: 'Descriptor…' }).click();
  const code = inspector.getByRole('dialog', { name: /^Code for the other side/ });
  const path = info.outputPath('weights.descriptor.json');
  await answerFileDialogs(app, path);
  await button(code, 'Save to a file…').focus();
  await inspector.keyboard.press('Enter');
  await expect(code).toContainText(`Saved to ${path}. Only your user may read that file`);
  await expect(code).not.toContainText(hex(handle).slice(0, 24));
  await screenshot(inspector, 'descriptor-saved');
  await expectAccessible(inspector);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toContain(hex(handle));
  await button(code, 'Close').click();

  const form = await openDialog(inspector, 'Pasted text');
  await button(form, 'Open file…').click();
  await expect(form.getByText(/^Share descriptor/)).toBeVisible();
  await open(form).click();
  await expect(form).toBeHidden();
  const { mapping, text } = await newest(inspector, 7);
  expect(mapping.exportId).toBe(exportId);
  expect(text).toBe('weights');
});

test('a producer saves the descriptor of what it exports', async ({ app }, info) => {
  const { producer, handle } = await exporting(app, 'weights');
  const path = info.outputPath('weights.descriptor.json');
  await answerFileDialogs(app, path);
  await button(producer.page, 'Copy handle').click();
  await producer.page.getByRole('menuitem', { name: 'Save descriptor to a file…' }).click();
  await expect(producer.page.getByText(`Saved to ${path}.`)).toBeVisible();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toContain(hex(handle));
});

test('the clipboard is pasted by a button, by keyboard too; a page alone does not get it', async ({
  app,
  inspector,
}) => {
  const { handle } = await exporting(app, 'copied');
  const copy = (text: string) => app.electron.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), text);
  await copy(`got ${hex(handle)}`);
  // Nobody has pressed anything in this window yet.
  expect(await api(inspector).handles.fromClipboard()).toMatchObject({ ok: false, error: { code: 'not-allowed' } });

  const form = await openDialog(inspector, 'Pasted text');
  await button(form, 'Paste').focus();
  await inspector.keyboard.press('Enter');
  await expect(pasted(form)).toHaveValue(`got ${hex(handle)}`);
  await expect(open(form)).toBeEnabled();
  await copy(' ');
  await button(form, 'Paste').click();
  await expect(form.getByRole('alert')).toContainText('There is no text on the clipboard.');
  await expect(pasted(form)).toHaveValue(`got ${hex(handle)}`);
  await copy('0'.repeat(1024 * 1024 + 1));
  await button(form, 'Paste').click();
  await expect(form.getByRole('alert')).toContainText('1,048,577 characters');
  await expect(pasted(form)).toHaveValue(`got ${hex(handle)}`);
});

test('live exports of every mechanism are listed and opened, by keyboard alone', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  for (const memory of ['device', 'pool', 'virtual'] as const) await exportFrom(producer, `by ${memory}`, memory);
  const event = await producer.api.events.create.value({ device: 0, label: 'an event' });
  await producer.api.events.export.value({ id: event.id });

  await button(inspector, 'Import handle').first().focus();
  await inspector.keyboard.press('Enter');
  const form = inspector.getByRole('dialog', { name: 'Import handle' });
  const list = form.getByRole('radiogroup', { name: 'Live exports' });
  await expect(list.getByRole('radio', { name: /^by device 2.00 MiB legacy handle/ })).toBeChecked();
  await expect(list.getByRole('radio', { name: /^by pool 2.00 MiB pool/ })).toBeVisible();
  await expect(list.getByRole('radio', { name: /^an event event/ })).toBeVisible();
  await expect(list.getByRole('radio', { name: /the pool itself/ })).toBeVisible();
  await screenshot(inspector, 'import-live');
  await expectAccessible(inspector);

  // Down to virtual memory: then there is a choice of access.
  await list.getByRole('radio', { name: /^by device/ }).focus();
  await inspector.keyboard.press('ArrowDown');
  await inspector.keyboard.press('ArrowDown');
  await expect(list.getByRole('radio', { name: /^by virtual 2.00 MiB virtual memory/ })).toBeChecked();
  const access = form.getByRole('radiogroup', { name: 'Access' });
  await access.getByRole('radio', { name: 'Read and write' }).focus();
  await inspector.keyboard.press('ArrowRight');
  await expect(access.getByRole('radio', { name: 'Read', exact: true })).toBeChecked();
  await open(form).focus();
  await inspector.keyboard.press('Enter');
  await expect(form).toBeHidden();
  const { mapping, text } = await newest(inspector, 10);
  expect(mapping).toMatchObject({ mechanism: 'virtual', access: [{ device: 0, access: 'read' }] });
  expect(text).toBe('by virtual');

  for (const name of [/^by pool/, /^an event/, /the pool itself/]) {
    const again = await openDialog(inspector);
    await again.getByRole('radio', { name }).check({ force: true });
    await open(again).click();
    await expect(again, String(name)).toBeHidden();
  }
  const ledger = await gpu.ledger.snapshot.value();
  expect(ledger.mappings.map(({ mechanism }) => mechanism).sort()).toEqual(['pool', 'virtual']);
  expect(ledger.eventImports).toHaveLength(1);
  expect(ledger.pools.filter(({ imported, state }) => imported && state === 'live').length).toBeGreaterThan(0);
});

test('a descriptor that is pasted opens by its mechanism', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  for (const memory of ['device', 'pool', 'virtual'] as const) {
    const { id } = await exportFrom(producer, `the ${memory} one`, memory);
    const { descriptor } = await gpu.handles.describe.value({ id });
    const form = await openDialog(inspector, 'Pasted text');
    await pasted(form).fill(`Please open this:\n\n${descriptor}\nThanks`);
    await expect(form.getByText(/^Share descriptor/)).toBeVisible();
    await expect(form.getByText('Producer 1, alive, not this process')).toBeVisible();
    await expect(form.getByRole('textbox', { name: 'Length' })).toHaveValue(String(2 * MIB));
    if (memory === 'virtual') {
      await expect(form.getByText(/^fd \d+/)).toContainText(`copied out of process ${producer.pid}`);
      await screenshot(inspector, 'import-descriptor');
      await expectAccessible(inspector);
    }
    await open(form).click();
    await expect(form).toBeHidden();
    expect((await newest(inspector, 40)).text).toMatch(new RegExp(`^the ${memory} one`));
  }
});

test('the views begin with the type, shape and byte order that the text says', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  const fill = { pattern: 'ramp' } as const;
  const { id } = await producer.api.buffers.create.value({
    device: 0,
    bytes: 2 * MIB,
    label: 'raw',
    dtype: 'u8',
    fill,
  });
  const exported = await producer.api.buffers.export.value({ id });
  const { descriptor } = await gpu.handles.describe.value({ id });
  const change = { offset: 4096, size: 4096, dtype: 'f16', shape: [32, 64], byteOrder: 'big', label: 'turned' };
  const contents = inspector.getByRole('region', { name: 'Contents' });
  const see = async (text: string) => {
    const form = await openDialog(inspector, 'Pasted text');
    await pasted(form).fill(text);
    await open(form).click();
    await expect(form).toBeHidden();
  };

  await see(JSON.stringify({ ...JSON.parse(descriptor), ...change }));
  const { mapping } = await newest(inspector, 1);
  expect(mapping).toMatchObject({ offset: 4096, data: { dtype: 'f16', shape: [32, 64], byteOrder: 'big' } });
  await inspector.getByRole('tab', { name: 'Values' }).click();
  await expect(contents.getByRole('combobox', { name: /^Type:? f16/ })).toBeVisible();
  await expect(contents.getByRole('toolbar', { name: 'Values' }).getByRole('radio', { name: 'BE' })).toBeChecked();
  await inspector.getByRole('tab', { name: 'Tensor' }).click();
  await expect(contents.getByRole('textbox', { name: 'Shape' })).toHaveValue('[32, 64]');
  await expect(contents.getByRole('textbox', { name: 'Strides' })).toHaveValue('');
  await screenshot(inspector, 'import-shaped');

  // As PyTorch prints the arguments of a transposed tensor.
  await see(
    `(<class 'torch.Tensor'>, torch.Size([64, 16]), (1, 64), 0, <class 'torch.storage.TypedStorage'>, torch.float32, 0, b'${escaped(exported.handle ?? new Uint8Array())}', 4096, 8192, False, b'/torch_1_2_3', 0, b'${'\\x00'.repeat(64)}', False)`,
  );
  expect((await newest(inspector, 1)).mapping).toMatchObject({
    offset: 8192,
    bytes: 4096,
    data: { dtype: 'f32', shape: [64, 16], strides: [1, 64] },
  });
  await expect(contents.getByRole('textbox', { name: 'Shape' })).toHaveValue('[64, 16]');
  await expect(contents.getByRole('textbox', { name: 'Strides' })).toHaveValue('[1, 64]');
  await inspector.getByRole('tab', { name: 'Statistics' }).click();
  await expect(contents.getByRole('combobox', { name: /^Type:? f32/ })).toBeVisible();
  await expectAccessible(inspector);
});

test('what is known before is said before; a refusal is tried only when somebody wants to, and keeps what was typed', async ({
  app,
  inspector,
  gpu,
}) => {
  const own = await ownHandle(gpu);
  await resize(app, 1024, 640);
  const form = await openDialog(inspector, 'Pasted text');
  await pasted(form).fill(hex(own));
  await expect(findings(form)).toContainText('exported this handle itself');
  await expect(open(form)).toBeDisabled();
  await form.getByRole('textbox', { name: 'Length' }).fill('64');
  await findings(form)
    .getByRole('checkbox', { name: /^Try anyway/ })
    .click();
  await open(form).click();
  await expect(form.getByRole('alert')).toContainText('INVALID_CONTEXT 201');
  await expect(form.getByRole('alert')).toBeInViewport({ ratio: 1 });
  await expect(pasted(form)).toHaveValue(hex(own));
  await expect(form.getByRole('textbox', { name: 'Length' })).toHaveValue('64');
  await screenshot(inspector, 'import-refused');
  await expectAccessible(inspector);

  await pasted(form).fill('00'.repeat(64));
  await expect(findings(form)).toContainText('All 64 bytes are zero');
  await expect(open(form)).toBeDisabled();

  // What the driver takes although it ends the process that reads there.
  const { handle, producer } = await exporting(app, 'changed');
  const changed = Uint8Array.from(handle);
  new DataView(changed.buffer).setUint32(28, 0x4000_0000, true);
  await pasted(form).fill(hex(changed));
  if (!realDriver || (await gpu.handles.anatomy.value({ handle })).checked) {
    await expect(findings(form)).toContainText('leads out of the memory block');
    await expect(findings(form)).toContainText('This cannot be tried');
    await expect(findings(form).getByRole('checkbox')).toHaveCount(0);
    await expect(open(form)).toBeDisabled();
  }

  await gpu.demo.kill.value({ peerId: producer.peerId });
  await pasted(form).fill(` ${hex(handle)}`);
  await expect(findings(form)).toContainText('is gone');
});

test('why it cannot be opened stands beside the button, in every look; what is known is one step away', async ({
  app,
  inspector,
  gpu,
}) => {
  const own = await ownHandle(gpu);
  const form = await openDialog(inspector, 'Pasted text');
  // What makes no sense in the text is said too, and takes the room.
  const broken = hex(own).slice(0, 90);
  await pasted(form).fill([hex(own), ...Array(4).fill(`and ${broken}`)].join('\n\n'));
  await expect(findings(form)).toContainText('exported this handle itself');
  const why = form.locator('.why-off p');
  await inEveryLook(app, inspector, async (name) => {
    await form.getByText('Import handle', { exact: true }).scrollIntoViewIfNeeded();
    await expect(why).toBeInViewport({ ratio: 1 });
    await expect(why).toContainText('exported this handle itself. The driver refuses to open it there');
    // All of it is legible: nothing is cut.
    expect(await why.evaluate((text) => text.scrollHeight <= text.clientHeight)).toBe(true);
    await expect(open(form)).toHaveAccessibleDescription(/exported this handle itself/);
    await screenshot(inspector, `import-why-${name}`);
    await expectAccessible(inspector);
  });
  // The last look is the smallest window: there it is out of sight.
  await expect(findings(form)).not.toBeInViewport({ ratio: 1 });
  await button(form, 'Show').focus();
  await inspector.keyboard.press('Enter');
  await expect(findings(form)).toBeInViewport({ ratio: 1 });
  await findings(form)
    .getByRole('checkbox', { name: /^Try anyway/ })
    .click();
  await expect(why).toHaveCount(0);
  await expect(open(form)).toBeEnabled();
});

test('why it cannot be opened is not said again beside the button while it is in sight', async ({
  app,
  inspector,
  gpu,
}) => {
  const own = await ownHandle(gpu);
  const form = await openDialog(inspector, 'Pasted text');
  await pasted(form).fill(hex(own));
  const why = form.locator('.why-off');
  await inEveryLook(app, inspector, async (name) => {
    await expect(findings(form)).toBeInViewport({ ratio: 1 });
    await expect(why.getByText('exported this handle itself')).toHaveClass(/sr/);
    await expect(button(form, 'Show')).toHaveCount(0);
    await expect(open(form)).toHaveAccessibleDescription(/exported this handle itself/);
    await screenshot(inspector, `import-said-${name}`);
  });
});

test('memory of another process is taken by its pid and descriptor', async ({ app, inspector }) => {
  const { producer, fds } = await exporting(app, 'taken', 'virtual', 4 * MIB);
  const form = await openDialog(inspector, 'Another process');
  // What is missing is said once somebody tries.
  await open(form).click();
  for (const name of ['Process', 'File descriptor', 'Size of it'])
    await expect(form.getByRole('textbox', { name })).toHaveAttribute('aria-invalid', 'true');
  await form.getByRole('textbox', { name: 'Process' }).fill(String(producer.pid));
  await expect(form.getByText(/its descriptors may (not )?be taken/)).toBeVisible();
  const offered = form.getByRole('radiogroup', { name: 'Descriptors of that process' });
  const mine = offered.getByRole('radio', { name: new RegExp(`^fd ${fds[0]} `) });
  await mine.check({ force: true });
  await expect(form.getByRole('textbox', { name: 'File descriptor' })).toHaveValue(String(fds[0]));
  await form.getByRole('textbox', { name: 'Size of it' }).fill('four');
  await open(form).click();
  await expect(form.getByRole('textbox', { name: 'Size of it' })).toHaveAttribute('aria-invalid', 'true');
  await expect(form).toBeVisible();
  await form.getByRole('textbox', { name: 'Size of it' }).fill('4 MiB');
  await screenshot(inspector, 'import-process');
  await expectAccessible(inspector);
  await open(form).click();
  await expect(form).toBeHidden();
  expect((await newest(inspector, 5)).text).toBe('taken');

  const nobody = await openDialog(inspector, 'Another process');
  await nobody.getByRole('textbox', { name: 'Process' }).fill('4194303');
  await expect(nobody.getByRole('alert')).toContainText('No process has the pid 4194303');
});

test('a pool of another process is imported alone, and a pointer opens in it', async ({ app, inspector, gpu }) => {
  const { producer, handle } = await exporting(app, 'in a pool', 'pool');
  const { descriptors } = await gpu.fds.list.value();
  const fd = descriptors.find(({ peerId, kind }) => peerId === producer.peerId && kind === 'pool')?.fd;
  const form = await openDialog(inspector, 'Another process');
  await form.getByRole('textbox', { name: 'Process' }).fill(String(producer.pid));
  await form.getByRole('textbox', { name: 'File descriptor' }).fill(String(fd));
  await form.getByText('A memory pool').click();
  await open(form).click();
  await expect(form).toBeHidden();
  const { pools } = await gpu.ledger.snapshot.value();
  const imported = pools.filter((pool) => pool.imported && pool.state === 'live');
  expect(imported).toHaveLength(1);

  const pointer = await openDialog(inspector, 'Pasted text');
  await pasted(pointer).fill(hex(handle));
  // What a real driver makes is known by its layout; the simulator's says nothing.
  const known = pointer.getByText(/^Pool pointer/);
  await expect(known.or(pointer.getByText('Pointer in a pool'))).toBeVisible();
  if (!(await known.isVisible())) await pointer.getByText('Pointer in a pool').click();
  await pointer.getByRole('combobox', { name: /^Pool:/ }).click();
  await inspector.getByRole('option', { name: /^pid \d+, fd \d+ imported/ }).click();
  await open(pointer).click();
  await expect(pointer).toBeHidden();
  const { mapping } = await newest(inspector, 1);
  expect(mapping).toMatchObject({ mechanism: 'pool', poolId: imported[0]?.id });
});

test('nothing moves while it is typed, found and checked', async ({ app, inspector, gpu }) => {
  const own = await ownHandle(gpu);
  await exporting(app, 'weights');
  const form = await openDialog(inspector);
  const places = async () => [await form.boundingBox(), await open(form).boundingBox()];
  const before = await places();
  await form.getByText('Pasted text', { exact: true }).click();
  expect(await places()).toEqual(before);
  await pasted(form).fill(`a line\n${hex(own)}\nand ${hex(own).slice(0, 90)}`);
  await expect(findings(form)).toContainText('exported this handle itself');
  expect(await places()).toEqual(before);
  await form.getByText('Another process', { exact: true }).click();
  expect(await places()).toEqual(before);
});

test('the dialog fits the smallest window and both themes', async ({ app, inspector, gpu }) => {
  const { handle } = await exporting(app, 'weights');
  await app.electron.evaluate(({ BrowserWindow }) => {
    const main = BrowserWindow.getAllWindows().find((window) => window.getTitle().startsWith('GPU IPC Inspector'));
    main?.setContentSize(1024, 640);
  });
  const form = await openDialog(inspector, 'Pasted text');
  await pasted(form).fill(`a line\n${hex(handle)}\nand ${hex(handle).slice(0, 90)}`);
  await expect(form.getByText('Producer 1, alive, not this process')).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await gpu.settings.set.value({ theme });
    await expect(inspector.locator('html')).toHaveAttribute('data-theme', theme);
    await expect(open(form)).toBeInViewport({ ratio: 1 });
    // Its parts scroll; they are not squeezed.
    const sources = await form.getByRole('radiogroup', { name: 'Where the handle comes from' }).boundingBox();
    expect(sources?.height).toBeGreaterThan(20);
    await expectAccessible(inspector);
    await screenshot(inspector, `import-small-${theme}`);
  }
  await open(form).click();
  await expect(row(inspector, /^mapping of weights Inspector/)).toBeVisible();
});
