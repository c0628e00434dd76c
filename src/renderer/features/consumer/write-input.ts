/** What a person types into the write form: an offset expression, and bytes as hex or as text. Pure. */
import { hexOffset } from '../../lib/bytes-format';
import { parseGoto } from '../../lib/bytes-goto';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export type WriteForm = 'hex' | 'text';

const no = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });

/** Bytes from hex (`21 21`, `0x21,0x21`, `2121`) or from text (UTF-8). At least one byte. */
export function parseBytes(text: string, form: WriteForm): Parsed<Uint8Array<ArrayBuffer>> {
  if (form === 'text') {
    const bytes = new TextEncoder().encode(text);
    return bytes.length === 0 ? no('Type the text to write.') : { ok: true, value: bytes };
  }
  const digits = text.replace(/0x/gi, ' ').trim();
  const wrong = digits.match(/[^0-9a-f\s,;:_]/i);
  if (wrong) return no(`“${wrong[0]}” is not a hex digit. Choose Text to write letters.`);
  const bytes: number[] = [];
  for (const group of digits.split(/[\s,;:_]+/).filter((part) => part !== '')) {
    // A single digit is a byte of its own (`0 1 2`); a longer run has to come in pairs.
    const padded = group.length === 1 ? `0${group}` : group;
    if (padded.length % 2 !== 0) return no(`“${group}” has an odd number of hex digits.`);
    for (let i = 0; i < padded.length; i += 2) bytes.push(Number.parseInt(padded.slice(i, i + 2), 16));
  }
  return bytes.length === 0 ? no('Give bytes in hex, for example 21 21.') : { ok: true, value: Uint8Array.from(bytes) };
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
