/** What a person types into the write form: an offset expression, and bytes as hex or as text. Pure. */
import { hexOffset } from '../../lib/bytes-format';
import { parseGoto } from '../../lib/bytes-goto';
import { parseHexBytes } from '../../lib/hex-bytes';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export type WriteForm = 'hex' | 'text';

const no = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });

/** Bytes from hex or from text (UTF-8). At least one byte. */
export function parseBytes(text: string, form: WriteForm): Parsed<Uint8Array<ArrayBuffer>> {
  if (form === 'text') {
    const bytes = new TextEncoder().encode(text);
    return bytes.length === 0 ? no('Type the text to write.') : { ok: true, value: bytes };
  }
  const read = parseHexBytes(text);
  return read.ok ? { ok: true, value: read.bytes } : no(read.problem);
}

/** Where and what to write into a view of `length` bytes at `address`; refused where it would run past the end. */
export function parseWrite(
  input: { readonly at: string; readonly bytes: string; readonly form: WriteForm },
  view: { readonly length: number; readonly address?: string },
): Parsed<{ offset: number; bytes: Uint8Array<ArrayBuffer> }> {
  const offset = parseGoto(input.at, { size: view.length, cursor: 0, elementBytes: 1, address: view.address });
  if (!offset.ok) return no(offset.message);
  const bytes = parseBytes(input.bytes, input.form);
  if (!bytes.ok) return bytes;
  const over = offset.offset + bytes.value.length - view.length;
  if (over > 0)
    return no(
      `${over === 1 ? '1 byte' : `${over} bytes`} too many: the last byte is at ${hexOffset(view.length - 1)}.`,
    );
  return { ok: true, value: { offset: offset.offset, bytes: bytes.value } };
}
