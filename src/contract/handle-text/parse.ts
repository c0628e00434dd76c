/** Reads a handle from a text that holds nothing else. */
import { readBase64 } from './base64';
import type { HandleForm } from './forms';
import { readEscapes, readHex } from './hex';
import { readList } from './list';
import { type Bytes, Problem } from './problem';
import { readPythonBytes, textOfBytes } from './python-bytes';
import { recognise } from './recognise';

const HANDLE_BYTES = 64;

export type HandleReading =
  | {
      readonly ok: true;
      readonly handle: Uint8Array<ArrayBuffer>;
      readonly form: HandleForm;
      /** What was taken off to get to the 64 bytes: PyTorch puts two bytes of its own before them. */
      readonly prefix?: 'PyTorch';
      /** The text of this form was itself written as Python bytes: `b'4N1V…=='`. */
      readonly inPythonBytes?: true;
    }
  | {
      readonly ok: false;
      /** A sentence for people. */
      readonly problem: string;
      /** Index in the text (UTF-16 units) of the first character that does not fit; the length when it ends early. */
      readonly position: number;
      /** The form it was read as; undefined when it looks like none. */
      readonly form?: HandleForm;
    };

/** Longest text that is looked at, in UTF-16 units. 64 bytes take a few hundred in any form. */
export const MAX_HANDLE_TEXT = 8192;

/** Reads a handle from text. Never throws. */
export function parseHandle(text: string): HandleReading {
  if (text.length > MAX_HANDLE_TEXT) {
    const problem = `This text is too long for a handle: it has more than ${MAX_HANDLE_TEXT.toLocaleString('en')} characters.`;
    return { ok: false, problem, position: MAX_HANDLE_TEXT };
  }
  const form = recognise(text);
  if (form === undefined) {
    const start = text.search(/\S/);
    return start < 0
      ? { ok: false, problem: 'There is no text.', position: 0 }
      : { ok: false, problem: 'This is neither hex, base64, Python bytes nor an array.', position: start };
  }
  try {
    const { bytes, end } = readers[form](text);
    const inside = form === 'python-bytes' ? textOfBytes(bytes) : undefined;
    if (inside === undefined) return finish(bytes, end, form);
    const reading = parseHandle(inside);
    // Escapes may stand between: the place of a problem is the end.
    if (!reading.ok) return { ...reading, position: end, form };
    return { ...reading, inPythonBytes: true as const };
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    return { ok: false, problem: thrown.problem, position: thrown.position, form };
  }
}

const readers: Record<HandleForm, (text: string) => Bytes> = {
  hex: (text) => (text.includes('\\x') ? readEscapes(text) : readHex(text)),
  base64: readBase64,
  'python-bytes': readPythonBytes,
  'c-array': (text) => readList(text, '{', '}'),
  'csharp-array': (text) => readList(text, '{', '}'),
  'json-array': (text) => readList(text, '[', ']'),
};

/** Checks the number of bytes, and takes PyTorch's version and type byte (02 63: cudaMalloc memory) off 66. */
function finish(bytes: number[], end: number, form: HandleForm): HandleReading {
  if (bytes.length === HANDLE_BYTES + 2 && bytes[0] === 2 && bytes[1] === 0x63) {
    return { ok: true, handle: Uint8Array.from(bytes.slice(2)), form, prefix: 'PyTorch' };
  }
  if (bytes.length !== HANDLE_BYTES) {
    return { ok: false, problem: `A handle has 64 bytes; this text holds ${bytes.length}.`, position: end, form };
  }
  return { ok: true, handle: Uint8Array.from(bytes), form };
}
