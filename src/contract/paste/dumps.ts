/** Rows with addresses: xxd, hexdump, od, and gdb's x command. Their addresses must follow each other. */
import { ATTEMPT, foundIn, refusedAt } from './count';
import type { Found, FoundBytes } from './types';

interface Row {
  /** Digits of the address; `*` for rows left out because they repeat the one before. */
  readonly address: string;
  readonly bytes: readonly number[];
  readonly tool: Tool;
  readonly start: number;
  readonly end: number;
}

type Tool = 'xxd' | 'hexdump' | 'od' | 'words' | 'gdb';

const toolNames: Readonly<Record<Tool, string>> = {
  xxd: 'xxd dump',
  hexdump: 'hexdump -C',
  od: 'od dump',
  words: 'hexdump of little-endian words',
  gdb: 'gdb memory dump',
};

/** No row is longer; longer lines are not looked at. */
const LONGEST_ROW = 400;
const HANDLE_BYTES = 64;
/** More than a handle needs in any tool; a longer dump is refused without reading on. */
const MOST_ROW_BYTES = 4096;

const pairs = '[0-9a-fA-F]{2}';
const XXD = /^\s*([0-9a-fA-F]{4,16}): +((?:[0-9a-fA-F]{2})+(?: (?:[0-9a-fA-F]{2})+)*)(?: {1,60}(\S.*))?$/;
const HEXDUMP = new RegExp(`^\\s*([0-9a-fA-F]{6,16}) +(${pairs}(?: {1,2}${pairs})*) {1,60}([|>])(.*)[|<]$`);
const OD = new RegExp(`^\\s*([0-9a-fA-F]{6,16}) +(${pairs}(?: {1,2}${pairs})+)\\s*$`);
const WORDS = /^\s*([0-9a-fA-F]{7}) +([0-9a-fA-F]{4}(?: +[0-9a-fA-F]{4})*)\s*$/;
const GDB = /^\s*0x([0-9a-fA-F]{1,16})(?: <[^>]*>)?:((?:\s+(?:0x[0-9a-fA-F]+|-?\d{1,3}))+)\s*$/;
const ADDRESS_ONLY = /^\s*[0-9a-fA-F]{6,16}\s*$/;
/** What begins like a row of a dump. */
const LIKE_ROW = /^\s*(?:0x)?[0-9a-fA-F]{4,16}(?:[:\s]|$)/;

/** All dumps in a text. `next` of each is not used. */
export function dumpsIn(text: string): Found<FoundBytes>[] {
  const found: Found<FoundBytes>[] = [];
  let rows: Row[] = [];
  let before = '';
  let beforeRows = '';
  let at = 0;
  while (at <= text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    const line = text.slice(at, Math.min(end, at + LONGEST_ROW + 1)).replace(/\r$/, '');
    const row = rowOf(line, at, rows.at(-1));
    if (row !== undefined && (rows.length === 0 || row.tool === rows[0]?.tool)) {
      if (rows.length === 0) beforeRows = before;
      rows.push(row);
    } else {
      if (rows.length > 0) found.push(...dumpOf(rows, beforeRows, line, at));
      beforeRows = before;
      rows = row === undefined || row.address === '*' ? [] : [row];
    }
    before = line;
    at = end + 1;
  }
  if (rows.length > 0) found.push(...dumpOf(rows, beforeRows, '', text.length));
  return found;
}

function rowOf(line: string, at: number, previous: Row | undefined): Row | undefined {
  if (line.length > LONGEST_ROW) return undefined;
  const start = at + (line.length - line.trimStart().length);
  const place = { start, end: at + line.trimEnd().length };
  if (line.trim() === '*' && previous !== undefined) return { address: '*', bytes: [], tool: previous.tool, ...place };
  const gdb = GDB.exec(line);
  if (gdb) {
    const bytes = gdbBytes((gdb[2] as string).trim().split(/\s+/));
    return bytes && { address: gdb[1] as string, bytes, tool: 'gdb', ...place };
  }
  const row = (match: RegExpExecArray, tool: Tool): Row => {
    const digits = (match[2] as string).replace(/ /g, '');
    const bytes = (digits.match(/../g) as string[]).map((pair) => Number.parseInt(pair, 16));
    return { address: match[1] as string, bytes, tool, ...place };
  };
  const xxd = XXD.exec(line);
  if (xxd) return checked(row(xxd, 'xxd'), xxd[3]?.trim(), true);
  const hexdump = HEXDUMP.exec(line);
  if (hexdump) return checked(row(hexdump, 'hexdump'), hexdump[4], false);
  const words = WORDS.exec(line);
  if (words) {
    const { bytes, ...rest } = row(words, 'words');
    return { ...rest, bytes: bytes.map((_byte, index) => bytes[index ^ 1] as number) };
  }
  const od = OD.exec(line);
  return od ? row(od, 'od') : undefined;
}

/** The column of characters must say the same as the bytes, else one of the two was changed. */
function checked(row: Row, shown: string | undefined, trimmed: boolean): Row | undefined {
  if (shown === undefined) return row;
  const expected = row.bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
  // xxd puts only spaces around its column: those at its ends cannot be told from them.
  return shown === (trimmed ? expected.trim() : expected) ? row : undefined;
}

/** gdb prints all of one row in the same size: b, h, w or g as hex, bytes also in decimal. */
function gdbBytes(words: readonly string[]): number[] | undefined {
  if (words.every((word) => /^-?\d{1,3}$/.test(word))) {
    const bytes = words.map(Number);
    return bytes.every((byte) => byte >= -128 && byte <= 255) ? bytes.map((byte) => byte & 0xff) : undefined;
  }
  const size = ((words[0] as string).length - 2) / 2;
  if (![1, 2, 4, 8].includes(size)) return undefined;
  const bytes: number[] = [];
  for (const word of words) {
    if (!word.startsWith('0x') || word.length !== 2 + 2 * size) return undefined;
    for (let pair = size; pair > 0; pair--) bytes.push(Number.parseInt(word.slice(2 * pair, 2 * pair + 2), 16));
  }
  return bytes;
}

/** A lone row is no dump: `cafe: d0d8` is a sentence. */
function dumpOf(rows: readonly Row[], before: string, after: string, afterAt: number): Found<FoundBytes>[] {
  const data = rows.filter(({ address }) => address !== '*');
  const total = data.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const isAttempt = total >= ATTEMPT || data.length < rows.length;
  const isCut = LIKE_ROW.test(after) && !ADDRESS_ONLY.test(after);
  if (!isAttempt && (!isCut || total < 16)) return [];
  const first = rows[0] as Row;
  const last = rows.at(-1) as Row;
  const refuse = (message: string, start: number, end: number) => [refusedAt(0, message, start, end)];
  if (total > MOST_ROW_BYTES) return refuse('A handle has 64 bytes; this dump is longer.', first.start, last.end);
  if (LIKE_ROW.test(before) && !ADDRESS_ONLY.test(before)) {
    return refuse('The line before is no row of this dump.', first.start, last.end);
  }
  if (isCut) {
    return refuse('This is no row of the dump before it.', afterAt, afterAt + after.length);
  }
  const ending = ADDRESS_ONLY.test(after) ? after.trim() : undefined;
  const bytes = bytesOf(rows, ending);
  const tool = toolNames[first.tool];
  if (bytes !== undefined) {
    const end = ending === undefined ? last.end : afterAt + after.trimEnd().length;
    return [foundIn({ bytes, form: 'dump', start: first.start, end, tool }, 0)];
  }
  const several = splitAtHandles(rows);
  if (several === undefined || ending !== undefined) {
    return refuse('The addresses of these rows do not follow each other.', first.start, last.end);
  }
  return several.map((own) => {
    const place = { start: (own[0] as Row).start, end: (own.at(-1) as Row).end };
    return foundIn({ bytes: bytesOf(own, undefined) ?? [], form: 'dump', ...place, tool }, 0);
  });
}

/** Rows of several dumps without a line between them: undefined unless each is one handle. */
function splitAtHandles(rows: readonly Row[]): Row[][] | undefined {
  const dumps: Row[][] = [];
  let own: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    own.push(row);
    bytes += row.bytes.length;
    if (bytes < HANDLE_BYTES) continue;
    if (bytesOf(own, undefined)?.length !== HANDLE_BYTES) return undefined;
    dumps.push(own);
    own = [];
    bytes = 0;
  }
  return own.length === 0 ? dumps : undefined;
}

/** od counts in octal unless told otherwise, hexdump's words in hexadecimal: the base in which the rows follow each other. */
function bytesOf(rows: readonly Row[], ending: string | undefined): number[] | undefined {
  const { tool } = rows[0] as Row;
  const bases = tool === 'od' || tool === 'words' ? [8, 10, 16] : [16];
  const readings = bases.flatMap((base) => {
    const bytes = inOrder(rows, ending, base);
    return bytes === undefined ? [] : [bytes];
  });
  return readings.find(({ length }) => length === HANDLE_BYTES) ?? readings[0];
}

/** All bytes, with what `*` stands for; undefined when a row is missing or twice there. */
function inOrder(rows: readonly Row[], ending: string | undefined, base: number): number[] | undefined {
  const bytes: number[] = [];
  const addressOf = (digits: string): bigint | undefined => {
    if (base === 16) return BigInt(`0x${digits}`);
    if (base === 8) return /^[0-7]+$/.test(digits) ? BigInt(`0o${digits}`) : undefined;
    return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
  };
  const origin = addressOf((rows[0] as Row).address);
  if (origin === undefined) return undefined;
  let repeating: readonly number[] | undefined;
  let previous: readonly number[] = [];
  const reach = (digits: string): boolean => {
    const address = addressOf(digits);
    if (address === undefined || address - origin > BigInt(MOST_ROW_BYTES)) return false;
    if (repeating !== undefined && repeating.length > 0) {
      while (BigInt(bytes.length) < address - origin) bytes.push(...repeating);
    }
    repeating = undefined;
    return BigInt(bytes.length) === address - origin;
  };
  for (const row of rows) {
    if (row.address === '*') {
      repeating = previous;
      continue;
    }
    if (!reach(row.address)) return undefined;
    for (const byte of row.bytes) bytes.push(byte);
    previous = row.bytes;
  }
  return ending === undefined ? (repeating === undefined ? bytes : undefined) : reach(ending) ? bytes : undefined;
}
