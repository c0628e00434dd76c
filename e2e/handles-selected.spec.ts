/** A long handle table: what is selected elsewhere comes into view, and nothing else moves the list. */
import { expect, test } from './harness/test';
import { button, dialog, handles, row } from './harness/window';

test.describe.configure({ timeout: 120_000 });

/** Panes end at fractions of a pixel, and so may the row at an edge. */
const whole = { ratio: 0.95 };

test('what is selected elsewhere is scrolled to among hundreds of rows, once', async ({ inspector, gpu }) => {
  const name = (index: number) => `many ${String(index).padStart(3, '0')}`;
  for (let index = 0; index < 300; index++) {
    await gpu.buffers.create.value({ device: 0, bytes: 4096, label: name(index) });
  }
  await expect(handles(inspector)).toHaveAttribute('aria-rowcount', '301');
  await expect(row(inspector, /^many 000/)).toBeInViewport();

  // Made here: its row comes after its selection, at the end of the list.
  await button(inspector, 'New buffer').click();
  const create = dialog(inspector, 'New buffer');
  await create.getByRole('textbox', { name: 'Label' }).fill('zero is last');
  await create.getByRole('textbox', { name: 'Label' }).press('Enter');
  await expect(row(inspector, /^zero is last/)).toHaveAttribute('aria-selected', 'true');
  await expect(row(inspector, /^zero is last/)).toBeInViewport(whole);

  // Jumped to from elsewhere.
  await inspector.keyboard.press('Control+k');
  await inspector.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('many 150');
  await inspector.keyboard.press('Enter');
  await expect(row(inspector, /^many 150/)).toHaveAttribute('aria-selected', 'true');
  await expect(row(inspector, /^many 150/)).toBeInViewport(whole);

  // Scrolled away from it, the list stays there while the ledger goes on.
  const scrolled = () => handles(inspector).evaluate((grid) => grid.scrollTop);
  await handles(inspector).evaluate((grid) => {
    grid.scrollTop = 0;
  });
  await expect(row(inspector, /^many 000/)).toBeInViewport();
  await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'another' });
  await expect(handles(inspector)).toHaveAttribute('aria-rowcount', '303');
  await expect(row(inspector, /^another/)).toBeInViewport();
  expect(await scrolled()).toBe(0);
});
