/** The selected bytes as text, for the clipboard. */
import { type ExportId, exportFormats, exportText, MAX_EXPORT_BYTES } from '#contract/export-text';
import { GpuIpcError } from '#contract/result';
import { formatSize } from '#contract/units';
import { act } from '../../../lib/act';
import { copyText } from '../../../lib/clipboard';
import { count } from '../../../lib/format';
import type { MemorySession } from './memory-session';

/** The name of a format, as the menu has it. */
export const formatName = (id: ExportId): string => exportFormats.find((one) => one.id === id)?.name ?? id;

/** The selection in a format, with what was typed and not written yet left out: it is what the memory holds. */
export async function selectionText(
  session: MemorySession,
  format: ExportId,
): Promise<{ readonly text: string; readonly note: string | undefined; readonly bytes: number }> {
  const { start, end } = session.selection;
  const length = end - start;
  const options = { dtype: session.dtype, order: session.order, offset: start };
  if (length > MAX_EXPORT_BYTES) {
    const message = `${formatSize(length)} are selected; as text at most ${formatSize(MAX_EXPORT_BYTES)} can be copied.`;
    throw new GpuIpcError({ code: 'out-of-range', message, hint: 'Save them to a file instead: Ctrl+S.' });
  }
  const read = await session.bytesOf({ offset: start, length });
  if (!read.ok) throw new GpuIpcError(read.error);
  const result = exportText(read.value, format, options);
  if (!result.ok) throw new GpuIpcError({ code: 'invalid-argument', message: result.message });
  return { text: result.text, note: result.note, bytes: length };
}

/** Copies the selection; what the format cannot say, and what is too much, is told. */
export async function copySelectionAs(session: MemorySession, format: ExportId): Promise<string | undefined> {
  const name = formatName(format);
  const copied = await act(`Copy as ${name}`, async () => {
    const found = await selectionText(session, format);
    await copyText(found.text);
    return found;
  });
  if (copied === undefined) return undefined;
  return [`${count(copied.bytes, 'byte')} copied as ${name}.`, copied.note].filter(Boolean).join(' ');
}
