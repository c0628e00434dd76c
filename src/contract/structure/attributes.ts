/** `[[hex, color("blue")]]`, and the words of C and CUDA that say the same about alignment. */
import { Fault, type TokenReader } from './token-reader';
import type { Look } from './types';

export interface Attributes {
  look: Look;
  packed: boolean;
  /** At least this alignment; 1 when none is asked for. */
  alignment: number;
}

export const noAttributes = (): Attributes => ({ look: {}, packed: false, alignment: 1 });

/** Names of colours; others are `#rrggbb`. */
export const COLORS = ['blue', 'green', 'red', 'orange', 'purple', 'teal', 'yellow', 'pink', 'grey'] as const;
const KNOWN = 'hex, binary, big, little, packed, align(n), color("…"), name("…") and note("…")';

/** Reads all attributes that stand here into `into`. `constant` reads a whole number. */
export function readAttributes(reader: TokenReader, into: Attributes, constant: () => bigint): void {
  for (;;) {
    if (reader.atAttributes()) {
      reader.next();
      reader.next();
      readList(reader, into, constant);
    } else if (reader.is('__attribute__')) {
      reader.next();
      reader.expect('(', 'after __attribute__');
      reader.expect('(', 'after __attribute__');
      do one(reader, into, constant);
      while (reader.take(','));
      reader.expect(')', 'after the attributes');
      reader.expect(')', 'after the attributes');
    } else if (reader.is('alignas') || reader.is('__align__')) {
      one(reader, into, constant);
    } else return;
  }
}

function readList(reader: TokenReader, into: Attributes, constant: () => bigint): void {
  if (!reader.is(']')) {
    do one(reader, into, constant);
    while (reader.take(','));
  }
  reader.expect(']', 'at the end of the attributes');
  reader.expect(']', 'at the end of the attributes');
}

function one(reader: TokenReader, into: Attributes, constant: () => bigint): void {
  const { text, start, end } = reader.name('an attribute');
  switch (text) {
    case 'hex':
    case 'binary':
      into.look = { ...into.look, base: text };
      return;
    case 'big':
    case 'little':
      into.look = { ...into.look, order: text };
      return;
    case 'packed':
    case '__packed__':
      into.packed = true;
      return;
    case 'align':
    case 'aligned':
    case '__aligned__':
    case 'alignas':
    case '__align__': {
      reader.expect('(', `after ${text}`);
      const value = Number(constant());
      if (!Number.isInteger(Math.log2(value)) || value < 1 || value > 4096) {
        throw new Fault('An alignment is a power of two, 1 to 4096.', start, reader.previous.end);
      }
      reader.expect(')', 'after the alignment');
      into.alignment = Math.max(into.alignment, value);
      return;
    }
    case 'color': {
      const color = argument(reader, text).toLowerCase();
      if (!(COLORS as readonly string[]).includes(color) && !/^#[0-9a-f]{6}$/.test(color)) {
        throw new Fault(`A colour is ${COLORS.join(', ')} or "#rrggbb".`, start, reader.previous.end);
      }
      into.look = { ...into.look, color };
      return;
    }
    case 'name':
      into.look = { ...into.look, label: argument(reader, text) };
      return;
    case 'note':
    case 'comment':
      into.look = { ...into.look, note: argument(reader, text) };
      return;
    default:
      throw new Fault(`“${text}” is no attribute: there are ${KNOWN}.`, start, end);
  }
}

function argument(reader: TokenReader, of: string): string {
  reader.expect('(', `after ${of}`);
  const token = reader.peek();
  if (token.kind !== 'string') throw reader.unexpected('a text in quotes');
  reader.next();
  if (token.text.length > 200) throw new Fault('A text has at most 200 characters.', token.start, token.end);
  reader.expect(')', 'after the text');
  return token.text;
}
