/**
 * The 64 bytes of a CUDA IPC handle as text, in the forms in which people meet them: hex, base64, Python bytes, C and
 * C# arrays, JSON. Reading is strict: a text either gives exactly the bytes it says, or a problem and the place where
 * it stops making sense. Printing is the inverse of reading.
 */

const HANDLE_BYTES = 64;

export const handleForms = ['hex', 'base64', 'c-array', 'python-bytes', 'csharp-array', 'json-array'] as const;
export type HandleForm = (typeof handleForms)[number];

export type HandleReading =
  | {
      readonly ok: true;
      readonly handle: Uint8Array<ArrayBuffer>;
      readonly form: HandleForm;
      /** What was taken off to get to the 64 bytes: PyTorch puts two bytes of its own before them. */
      readonly prefix?: 'PyTorch';
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

/** Ends a reading; never leaves this file. */
class Problem extends Error {
  constructor(
    readonly problem: string,
    readonly position: number,
  ) {
    super(problem);
  }
}

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
    return finish(bytes, end, form);
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    return { ok: false, problem: thrown.problem, position: thrown.position, form };
  }
}

/** Writes a handle as text that parseHandle reads back. Takes any number of bytes; 64 make a handle. */
export function printHandle(handle: Uint8Array, form: HandleForm): string {
  switch (form) {
    case 'hex':
      return hexOf(handle);
    case 'base64':
      return base64Of(handle);
    case 'c-array':
      return `unsigned char handle[${handle.length}] = {\n${hexRows(handle)}\n};`;
    case 'csharp-array':
      return `byte[] handle = new byte[] {\n${hexRows(handle)}\n};`;
    case 'json-array':
      return `[${handle.join(', ')}]`;
    case 'python-bytes':
      return pythonBytesOf(handle);
  }
}

/** What a form is called in menus. */
export const handleFormNames: Readonly<Record<HandleForm, string>> = {
  hex: 'Hex',
  base64: 'Base64',
  'c-array': 'C array',
  'python-bytes': 'Python bytes',
  'csharp-array': 'C# array',
  'json-array': 'JSON array',
};

// ---------------------------------------------------------------------------------------------------- recognising

const PYTHON = /^\s*(?:(?:bytes|bytearray)\s*\(\s*)?[bB]['"]/;
const FROMHEX = /^\s*(?:bytes|bytearray)\.fromhex\s*\(/;
const BRACED = /\{/;
const BRACKETED = /^\s*(?:(?:bytes|bytearray)\s*\(\s*)?\[/;
const LISTED = /^\s*-?(?:0[xX][0-9a-fA-F]{1,2}|\d{1,3})\s*,/;

/** Which reader a text is for, by its first signs. */
function recognise(text: string): HandleForm | undefined {
  if (PYTHON.test(text)) return 'python-bytes';
  if (FROMHEX.test(text)) return 'hex';
  if (BRACED.test(text)) return /\bbyte\s*\[/i.test(text.slice(0, text.indexOf('{'))) ? 'csharp-array' : 'c-array';
  if (BRACKETED.test(text)) return 'json-array';
  if (LISTED.test(text)) return 'c-array';
  if (text.includes('\\x')) return 'hex';
  const inner = unquoted(text).text;
  if (/^(?:0[xX](?=[0-9a-fA-F])|[\s0-9a-fA-F:-])+$/.test(inner)) return /[0-9a-fA-F]/.test(inner) ? 'hex' : undefined;
  // One wrong character in a long hex text must not turn it into base64 of a wrong length.
  const digits = inner.match(/[0-9a-fA-F]/g)?.length ?? 0;
  const solid = inner.replace(/\s/g, '').length;
  if (solid > 96 && digits >= solid * 0.8) return 'hex';
  // Words are short; base64 is one run, or lines of one length.
  const longest = Math.max(...inner.split(/\s+/).map((run) => run.length));
  const fitting = inner.match(/[A-Za-z0-9+/_=-]/g)?.length ?? 0;
  return longest >= 16 && fitting >= solid * 0.9 ? 'base64' : undefined;
}

/** The text inside one pair of quotes, if it is in one, and where it begins. */
function unquoted(text: string): { text: string; start: number } {
  const quoted = /^\s*(['"`])([\s\S]*)\1\s*[;,]?\s*$/.exec(text);
  return quoted ? { text: quoted[2] as string, start: text.indexOf(quoted[1] as string) + 1 } : { text, start: 0 };
}

// -------------------------------------------------------------------------------------------------------- readers

interface Bytes {
  readonly bytes: number[];
  /** Where the text after the last byte begins, for a problem with the number of bytes. */
  readonly end: number;
}

const readers: Record<HandleForm, (text: string) => Bytes> = {
  hex: (text) => (text.includes('\\x') ? readEscapes(text) : readHex(text)),
  base64: readBase64,
  'python-bytes': readPythonBytes,
  'c-array': (text) => readList(text, '{', '}'),
  'csharp-array': (text) => readList(text, '{', '}'),
  'json-array': (text) => readList(text, '[', ']'),
};

function readHex(text: string): Bytes {
  let { text: inner, start } = unquoted(text);
  const call = FROMHEX.exec(text);
  if (call) {
    const close = text.lastIndexOf(')');
    if (close < 0) throw new Problem('The closing parenthesis is missing.', text.length);
    if (text.slice(close + 1).trim() !== '') throw new Problem('Something follows the call.', close + 1);
    const argument = unquoted(text.slice(call[0].length, close));
    inner = argument.text;
    start = call[0].length + argument.start;
  }
  const bytes: number[] = [];
  let at = inner.length - inner.trimStart().length;
  if (/^0[xX]/.test(inner.slice(at))) at += 2;
  let end = at;
  while (at < inner.length) {
    const ch = inner[at] as string;
    if (/[\s:-]/.test(ch)) {
      at++;
      continue;
    }
    const pair = inner.slice(at, at + 2);
    if (/^0[xX]$/.test(pair) && /^[0-9a-fA-F]{2}/.test(inner.slice(at + 2)) && bytes.length > 0) {
      // `0xd0 0xd8 …`: a prefix for each byte.
      at += 2;
      continue;
    }
    if (!/[0-9a-fA-F]/.test(ch)) throw new Problem(`${quote(ch)} is not a hexadecimal digit.`, start + at);
    if (!/^[0-9a-fA-F]{2}$/.test(pair)) {
      throw new Problem(
        pair.length === 2 && !/[\s:-]/.test(pair[1] as string)
          ? `${quote(pair[1] as string)} is not a hexadecimal digit.`
          : 'A byte has two hexadecimal digits; one is missing here.',
        start + at + 1,
      );
    }
    bytes.push(Number.parseInt(pair, 16));
    at += 2;
    end = at;
  }
  return { bytes, end: start + end };
}

/** `\xd0\xd8…` without b'…': C strings go on after two digits, Python does not, so only pure escapes are certain. */
function readEscapes(text: string): Bytes {
  const bytes: number[] = [];
  let at = 0;
  let end = 0;
  while (at < text.length) {
    const ch = text[at] as string;
    if (/[\s"';]/.test(ch)) {
      at++;
      continue;
    }
    const escaped = /^\\x([0-9a-fA-F]{2})/.exec(text.slice(at, at + 4));
    if (!escaped) {
      throw new Problem(
        ch === '\\'
          ? 'Expected \\x and two hexadecimal digits.'
          : `${quote(ch)} stands between the escapes. For a Python value, paste it with its b'…'.`,
        at,
      );
    }
    bytes.push(Number.parseInt(escaped[1] as string, 16));
    at += 4;
    end = at;
  }
  return { bytes, end };
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function readBase64(text: string): Bytes {
  const { text: inner, start } = unquoted(text);
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  let digits = 0;
  let padding = 0;
  let alphabet: 'standard' | 'url' | undefined;
  let end = start;
  for (let at = 0; at < inner.length; at++) {
    const ch = inner[at] as string;
    if (/\s/.test(ch)) continue;
    if (ch === '=') {
      padding++;
      if ((digits + padding) % 4 === 1 || padding > 2 || (padding === 1 && digits % 4 < 2)) {
        throw new Problem('There is padding (=) where none belongs.', start + at);
      }
      end = start + at + 1;
      continue;
    }
    if (padding > 0) throw new Problem('Something follows the padding (=).', start + at);
    const own = ch === '+' || ch === '/' ? 'standard' : ch === '-' || ch === '_' ? 'url' : undefined;
    if (own && alphabet && own !== alphabet) {
      throw new Problem(`${quote(ch)} mixes base64 with its form for addresses.`, start + at);
    }
    alphabet ??= own;
    const value = BASE64.indexOf(ch === '-' ? '+' : ch === '_' ? '/' : ch);
    if (value < 0) throw new Problem(`${quote(ch)} is not a base64 character.`, start + at);
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    digits++;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
    end = start + at + 1;
  }
  if (digits % 4 === 1) throw new Problem('The base64 text ends in the middle of a byte.', end);
  if (padding > 0 && (digits + padding) % 4 !== 0) throw new Problem('The padding (=) is incomplete.', end);
  if ((held & ((1 << bits) - 1)) !== 0)
    throw new Problem('The last base64 character holds bits of no byte.', end - 1 - padding);
  return { bytes, end };
}

const PYTHON_ESCAPES: Readonly<Record<string, number>> = {
  '\\': 0x5c,
  "'": 0x27,
  '"': 0x22,
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
};

/** A Python bytes literal, or several that follow each other (Python joins them). */
function readPythonBytes(text: string): Bytes {
  const bytes: number[] = [];
  const call = /^\s*(?:bytes|bytearray)\s*\(\s*/.exec(text);
  let at = call ? call[0].length : text.search(/\S/);
  let end = at;
  while (at < text.length && /[bB]/.test(text[at] as string) && /['"]/.test(text[at + 1] ?? '')) {
    const mark = text[at + 1] as string;
    at += 2;
    for (;;) {
      const ch = text[at];
      if (ch === undefined) throw new Problem(`The closing ${mark} is missing.`, at);
      if (ch === mark) break;
      if (ch === '\n' || ch === '\r') throw new Problem('A line break stands inside the quotes.', at);
      if (ch !== '\\') {
        if (ch.charCodeAt(0) > 0x7e || ch.charCodeAt(0) < 0x20) {
          throw new Problem(`${quote(ch)} cannot stand in Python bytes.`, at);
        }
        bytes.push(ch.charCodeAt(0));
        at++;
        continue;
      }
      const hex = /^\\x([0-9a-fA-F]{2})/.exec(text.slice(at, at + 4));
      const octal = /^\\([0-7]{1,3})/.exec(text.slice(at, at + 4));
      const plain = PYTHON_ESCAPES[text[at + 1] ?? ''];
      if (hex) {
        bytes.push(Number.parseInt(hex[1] as string, 16));
        at += 4;
      } else if (octal) {
        const value = Number.parseInt(octal[1] as string, 8);
        if (value > 255) throw new Problem('An octal escape above \\377 is no byte.', at);
        bytes.push(value);
        at += octal[0].length;
      } else if (plain !== undefined) {
        bytes.push(plain);
        at += 2;
      } else {
        throw new Problem('This escape is not one of Python bytes.', at);
      }
    }
    end = at;
    at++;
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
  }
  if (call) {
    if (text[at] !== ')') throw new Problem('The closing parenthesis is missing.', Math.min(at, text.length));
    at++;
  }
  const rest = text.slice(at).search(/[^\s,;]/);
  if (rest >= 0) throw new Problem(`${quote(text[at + rest] as string)} follows the closing quote.`, at + rest);
  return { bytes, end };
}

/** Numbers between brackets, or without any: decimal (-128 to 255) or 0x…. */
function readList(text: string, open: '{' | '[', close: '}' | ']'): Bytes {
  const bytes: number[] = [];
  let at = 0;
  let last = text.length;
  const opening = text.indexOf(open);
  if (opening >= 0) {
    const odd = text.slice(0, opening).search(/[^\w\s=[\]<>():*&.,]/);
    if (odd >= 0) throw new Problem(`${quote(text[odd] as string)} does not belong before an array.`, odd);
    at = opening + 1;
    last = text.indexOf(close, at);
    if (last < 0) throw new Problem(`The closing ${close} is missing.`, text.length);
    const after = text.slice(last + 1).search(/[^\s;,)]/);
    if (after >= 0)
      throw new Problem(`${quote(text[last + 1 + after] as string)} follows the array.`, last + 1 + after);
  }
  let end = at;
  let needsComma = false;
  while (at < last) {
    const ch = text[at] as string;
    if (/\s/.test(ch)) {
      at++;
    } else if (ch === ',') {
      if (!needsComma) throw new Problem('A number is missing before this comma.', at);
      needsComma = false;
      at++;
    } else {
      const word = /^[^\s,\]}]+/.exec(text.slice(at, last))?.[0] ?? ch;
      if (needsComma) throw new Problem(`A comma is missing before ${quote(word)}.`, at);
      bytes.push(byteOfWord(word, at));
      at += word.length;
      end = at;
      needsComma = true;
    }
  }
  return { bytes, end };
}

function byteOfWord(word: string, at: number): number {
  if (/^0[xX][0-9a-fA-F]{1,2}$/.test(word)) return Number.parseInt(word.slice(2), 16);
  if (/^-?0\d/.test(word)) throw new Problem(`${quote(word)} could be octal: write it without the leading 0.`, at);
  if (!/^-?\d{1,3}$/.test(word))
    throw new Problem(`${quote(word)} is not a byte. Write hexadecimal numbers as 0xd0.`, at);
  const value = Number(word);
  if (value < -128 || value > 255) throw new Problem(`${word} does not fit in a byte.`, at);
  return value & 0xff;
}

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

// ------------------------------------------------------------------------------------------------------- printing

const hexDigits = (value: number): string => value.toString(16).padStart(2, '0');
const hexOf = (bytes: Uint8Array): string => Array.from(bytes, hexDigits).join('');

function hexRows(bytes: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    rows.push(`  ${Array.from(bytes.subarray(at, at + 16), (byte) => `0x${hexDigits(byte)}`).join(', ')}`);
  }
  return rows.join(',\n');
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3);
    const word = ((group[0] ?? 0) << 16) | ((group[1] ?? 0) << 8) | (group[2] ?? 0);
    for (let digit = 0; digit < 4; digit++)
      text += digit > group.length ? '=' : BASE64[(word >> (18 - 6 * digit)) & 63];
  }
  return text;
}

/** As Python's own repr() writes bytes: double quotes only when there is a single quote and no double one. */
function pythonBytesOf(bytes: Uint8Array): string {
  const mark = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'";
  let text = `b${mark}`;
  for (const byte of bytes) {
    const ch = String.fromCharCode(byte);
    if (ch === mark || ch === '\\') text += `\\${ch}`;
    else if (ch === '\t') text += '\\t';
    else if (ch === '\n') text += '\\n';
    else if (ch === '\r') text += '\\r';
    else if (byte < 0x20 || byte > 0x7e) text += `\\x${hexDigits(byte)}`;
    else text += ch;
  }
  return text + mark;
}

const quote = (text: string): string => `“${text.length > 12 ? `${text.slice(0, 12)}…` : text}”`;
