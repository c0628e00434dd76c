/** Bytes as text to paste elsewhere: into a program, a notebook, a table or a message. */
import { type ByteOrder, decodeValues, type ElementValue, formatValue } from './decode-values';
import { type DtypeId, dtypes } from './dtypes';
import { formatSize } from './units';

export type ExportId = 'hex' | 'hex-dump' | 'c-array' | 'python-bytes' | 'numpy' | 'json' | 'base64' | 'csv';

/** `typed`: the element type and byte order make a difference. */
export const exportFormats: readonly { readonly id: ExportId; readonly name: string; readonly typed: boolean }[] = [
  { id: 'hex', name: 'Hex', typed: false },
  { id: 'hex-dump', name: 'Hex dump', typed: false },
  { id: 'c-array', name: 'C array', typed: true },
  { id: 'python-bytes', name: 'Python bytes', typed: false },
  { id: 'numpy', name: 'NumPy array', typed: true },
  { id: 'json', name: 'JSON', typed: true },
  { id: 'base64', name: 'Base64', typed: false },
  { id: 'csv', name: 'CSV', typed: true },
];

/** More than this is refused: as text it is several times as large, and a clipboard is no place for it. */
export const MAX_EXPORT_BYTES = 256 * 1024;

export interface ExportOptions {
  readonly dtype: DtypeId;
  readonly order: ByteOrder;
  /** Offset of the first byte in its memory, for the formats that write offsets. */
  readonly offset: number;
  /** CSV: this many values in a row; without it one element per row, with its index and offset. */
  readonly perRow?: number;
}

export type ExportResult =
  /** `note` says what the text does not hold as the memory has it. */
  | { readonly ok: true; readonly text: string; readonly note?: string }
  | { readonly ok: false; readonly message: string };

/** The bytes in one of the formats. */
export function exportText(bytes: Uint8Array, format: ExportId, options: ExportOptions): ExportResult {
  if (bytes.length === 0) return { ok: false, message: 'Nothing is selected.' };
  if (bytes.length > MAX_EXPORT_BYTES) {
    const message = `${formatSize(bytes.length)} are selected; as text at most ${formatSize(MAX_EXPORT_BYTES)} can be copied. Save them to a file instead.`;
    return { ok: false, message };
  }
  const { dtype, order, offset, perRow } = options;
  switch (format) {
    case 'hex':
      return { ok: true, text: hex(bytes, ' ') };
    case 'hex-dump':
      return { ok: true, text: hexDump(bytes, offset) };
    case 'python-bytes':
      return { ok: true, text: pythonBytes(bytes) };
    case 'base64':
      return { ok: true, text: base64(bytes) };
    default: {
      const values = decodeValues(bytes, dtype, order);
      if (values.length === 0) {
        const message = `One ${dtype} has ${dtypes[dtype].bytes} bytes; ${bytes.length} are selected.`;
        return { ok: false, message };
      }
      const rest = bytes.length % dtypes[dtype].bytes;
      const last = rest === 1 ? 'The last byte is' : `The last ${rest} bytes are`;
      const notes = rest === 0 ? [] : [`${last} no whole ${dtype} and left out.`];
      const whole = bytes.subarray(0, bytes.length - rest);
      const { text, note } = typed(format, whole, values, dtype, order, offset, perRow);
      if (note !== undefined) notes.push(note);
      return { ok: true, text, note: notes.length === 0 ? undefined : notes.join(' ') };
    }
  }
}

interface Written {
  readonly text: string;
  readonly note?: string;
}

function typed(
  format: 'c-array' | 'numpy' | 'json' | 'csv',
  bytes: Uint8Array,
  values: readonly ElementValue[],
  dtype: DtypeId,
  order: ByteOrder,
  offset: number,
  perRow: number | undefined,
): Written {
  switch (format) {
    case 'c-array':
      return cArray(bytes, values, dtype, order);
    case 'numpy':
      return numpy(bytes, values, dtype, order);
    case 'json':
      return json(values, dtype);
    case 'csv':
      return { text: csv(values, dtype, offset, perRow) };
  }
}

// ------------------------------------------------------------------ bytes

const hex = (bytes: Uint8Array, between: string): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(between);

/** As `hexdump -C` writes it: offset, sixteen bytes, and the printable ones of them. */
function hexDump(bytes: Uint8Array, offset: number): string {
  const width = Math.max(8, (offset + bytes.length).toString(16).length);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const halves = `${hex(row.subarray(0, 8), ' ')}  ${hex(row.subarray(8), ' ')}`.padEnd(48);
    const text = String.fromCharCode(...row.map((byte) => (byte >= 0x20 && byte < 0x7f ? byte : 0x2e)));
    lines.push(`${(offset + at).toString(16).padStart(width, '0')}  ${halves}  |${text}|`);
  }
  return lines.join('\n');
}

function pythonBytes(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    lines.push(
      `b'${Array.from(bytes.subarray(at, at + 16), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`,
    );
  }
  return lines.length === 1 ? (lines[0] as string) : `(\n${lines.map((line) => `    ${line}\n`).join('')})`;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

// ------------------------------------------------------------------ elements

/** Items with commas, on lines of about 100 characters. */
function wrapped(items: readonly string[], indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const item of items) {
    if (line !== '' && line.length + item.length > 100) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += `${item}, `;
  }
  lines.push(line.replace(/, $/, ''));
  return lines.map((one) => `${indent}${one}`).join('\n');
}

/** The bits of each element as an unsigned number of C or NumPy. */
function bitPatterns(bytes: Uint8Array, dtype: DtypeId, order: ByteOrder): string[] {
  const as = dtypes[dtype].bytes === 2 ? 'u16' : 'u8';
  return decodeValues(bytes, as, order).map(
    (bits) =>
      `0x${Number(bits)
        .toString(16)
        .padStart(dtypes[as].bytes * 2, '0')}`,
  );
}

const C_TYPES: Readonly<Partial<Record<DtypeId, string>>> = {
  u8: 'uint8_t',
  i8: 'int8_t',
  u16: 'uint16_t',
  i16: 'int16_t',
  u32: 'uint32_t',
  i32: 'int32_t',
  u64: 'uint64_t',
  i64: 'int64_t',
  f32: 'float',
  f64: 'double',
  bool: 'bool',
  c64: 'float',
  c128: 'double',
};

function cArray(bytes: Uint8Array, values: readonly ElementValue[], dtype: DtypeId, order: ByteOrder): Written {
  const type = C_TYPES[dtype];
  if (type === undefined || (dtype === 'bool' && !areTruths(values))) {
    const patterns = bitPatterns(bytes, dtype, order);
    const bits = dtypes[dtype].bytes === 2 ? 'uint16_t' : 'uint8_t';
    const what =
      dtypes[dtype].perUnit === 2 ? `two ${dtype} in each, the first in the low half` : `the bits of ${dtype}`;
    const note =
      type === undefined ? `C has no ${dtype}: these are its bits.` : 'Some are neither 0 nor 1: these are the bytes.';
    return { text: `${bits} data[${patterns.length}] = { // ${what}\n${wrapped(patterns, '    ')}\n};`, note };
  }
  const { part } = dtypes[dtype];
  const items = values.map((value) =>
    typeof value === 'object'
      ? `{${cNumber(value.real, part ?? 'f64')}, ${cNumber(value.imaginary, part ?? 'f64')}}`
      : dtype === 'bool'
        ? formatValue(value, dtype)
        : cNumber(value, dtype),
  );
  const pairs = part === null ? '' : '[2]';
  const comment = part === null ? '' : ' // real and imaginary part';
  return { text: `${type} data[${values.length}]${pairs} = {${comment}\n${wrapped(items, '    ')}\n};` };
}

function cNumber(value: number | bigint, dtype: DtypeId): string {
  if (typeof value === 'bigint') {
    // The least number has no literal: its minus is an operator on a number that is too large.
    if (value === -(2n ** 63n)) return '(-9223372036854775807LL - 1)';
    return `${value}${dtypes[dtype].kind === 'unsigned' ? 'ULL' : 'LL'}`;
  }
  if (dtypes[dtype].kind !== 'float') return `${value}${dtype === 'u32' ? 'u' : ''}`;
  const suffix = dtype === 'f32' ? 'f' : '';
  if (Number.isNaN(value)) return 'NAN';
  if (!Number.isFinite(value)) return value < 0 ? '-INFINITY' : 'INFINITY';
  return `${withPoint(formatValue(value, dtype))}${suffix}`;
}

/** `3` as `3.0`, so that it is read as a float and -0 keeps its sign. */
const withPoint = (text: string): string => (/[.e]/.test(text) ? text : `${text}.0`);

const areTruths = (values: readonly ElementValue[]): boolean => values.every((value) => value === 0 || value === 1);

function numpy(bytes: Uint8Array, values: readonly ElementValue[], dtype: DtypeId, order: ByteOrder): Written {
  const { numpy: name, perUnit, kind } = dtypes[dtype];
  if (perUnit > 1) {
    const wide = kind === 'signed' ? 'int8' : 'uint8';
    const text = `np.array([\n${wrapped(values.map(String), '    ')}\n], dtype=np.${wide})`;
    return { text, note: `NumPy has no ${dtype}: each number is ${wide === 'int8' ? 'an int8' : 'a uint8'}.` };
  }
  if (name === null) {
    const raw = `np.frombuffer(bytes.fromhex('${hex(bytes, '')}'), dtype=`;
    if (dtype === 'bf16') {
      const text = `(${raw}'${order === 'little' ? '<' : '>'}u2').astype(np.uint32) << 16).view(np.float32)  # bf16`;
      return { text, note: 'NumPy has no bf16: these are the same numbers as float32.' };
    }
    const text = `${raw}np.uint8)  # .view(ml_dtypes.${dtype === 'f8e4m3' ? 'float8_e4m3fn' : 'float8_e5m2'})`;
    return { text, note: `NumPy has no ${dtype}: these are its bits, for the package ml_dtypes to read.` };
  }
  if (dtype === 'bool' && !areTruths(values)) {
    const text = `np.array([\n${wrapped(values.map(String), '    ')}\n], dtype=np.uint8)`;
    return { text, note: 'Some are neither 0 nor 1: these are the bytes.' };
  }
  const items = values.map((value) => pythonNumber(value, dtype));
  return { text: `np.array([\n${wrapped(items, '    ')}\n], dtype=np.${name})` };
}

function pythonNumber(value: ElementValue, dtype: DtypeId): string {
  if (typeof value === 'object') {
    const part = dtypes[dtype].part ?? 'f64';
    return `complex(${pythonNumber(value.real, part)}, ${pythonNumber(value.imaginary, part)})`;
  }
  if (dtype === 'bool') return value === 0 ? 'False' : 'True';
  if (typeof value === 'bigint' || dtypes[dtype].kind !== 'float') return String(value);
  if (Number.isNaN(value)) return 'np.nan';
  if (!Number.isFinite(value)) return value < 0 ? '-np.inf' : 'np.inf';
  return withPoint(formatValue(value, dtype));
}

function json(values: readonly ElementValue[], dtype: DtypeId): Written {
  let special = false;
  const number = (value: number | bigint, type: DtypeId): string => {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      special = true;
      return JSON.stringify(String(value));
    }
    return formatValue(value, type);
  };
  const items = values.map((value) => {
    if (typeof value !== 'object') return number(value, dtype);
    const part = dtypes[dtype].part ?? 'f64';
    return `[${number(value.real, part)}, ${number(value.imaginary, part)}]`;
  });
  const text = `[\n${wrapped(items, '  ')}\n]`;
  return { text, note: special ? 'JSON has no NaN and no infinity: they are texts.' : undefined };
}

function csv(values: readonly ElementValue[], dtype: DtypeId, offset: number, perRow: number | undefined): string {
  const texts = values.map((value) => formatValue(value, dtype));
  if (perRow === undefined || perRow < 1) {
    const { bytes, perUnit } = dtypes[dtype];
    const rows = texts.map((text, i) => `${i},0x${(offset + Math.floor(i / perUnit) * bytes).toString(16)},${text}`);
    return ['index,offset,value', ...rows].join('\n');
  }
  const rows: string[] = [];
  for (let at = 0; at < texts.length; at += perRow) rows.push(texts.slice(at, at + perRow).join(','));
  return rows.join('\n');
}
