/**
 * NumPy's `.npy` files: a header with type and shape, then the elements. Written as version 1.0, read as 1.0, 2.0 and
 * 3.0. Source: numpy.lib.format in NumPy's documentation.
 */
import type { ByteOrder } from './decode-values';
import { bytesOfElements, type DtypeId, dtypes } from './dtypes';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** The elements begin at a multiple of this, so that a file can be mapped into memory. */
const ALIGNMENT = 64;
/** Headers longer than this are no headers of arrays that anybody reads here. */
const MAX_HEADER = 65_536;

export interface NpyHeader {
  readonly ok: true;
  /** What stands before the elements. */
  readonly header: Uint8Array<ArrayBuffer>;
  /** Bytes of the elements that belong behind it. */
  readonly dataBytes: number;
  /** What NumPy does not have and how it is saved instead. */
  readonly note?: string;
}

/** The header of a file for elements of a type. Types that NumPy lacks are saved as the unsigned integers of their bits. */
export function npyHeader(
  dtype: DtypeId,
  shape: readonly number[],
  order: ByteOrder = 'little',
  fortran = false,
): NpyHeader | { readonly ok: false; readonly message: string } {
  if (shape.length > 32) return { ok: false, message: 'A file of NumPy has at most 32 dimensions here.' };
  if (!shape.every((length) => Number.isSafeInteger(length) && length >= 0)) {
    return { ok: false, message: 'A shape is made of whole numbers from 0 on.' };
  }
  const elements = shape.reduce((product, length) => product * length, 1);
  if (!Number.isSafeInteger(elements)) return { ok: false, message: 'This shape has more than 2^53 elements.' };
  const { numpy, perUnit, bytes } = dtypes[dtype];
  const dataBytes = bytesOfElements(elements, dtype);
  const saved = perUnit > 1 ? [dataBytes] : shape;
  let note: string | undefined;
  if (perUnit > 1)
    note = `NumPy has no ${dtype}: the bytes are saved as a row of uint8, two numbers in each, the first in the low half.`;
  else if (numpy === null) note = `NumPy has no ${dtype}: its bits are saved as uint${8 * bytes}.`;
  const shapeText = saved.length === 1 ? `(${saved[0]},)` : `(${saved.join(', ')})`;
  const fortranText = fortran && perUnit === 1 ? 'True' : 'False';
  const dictionary = `{'descr': '${descriptionOf(dtype, order)}', 'fortran_order': ${fortranText}, 'shape': ${shapeText}, }`;
  const before = MAGIC.length + 4;
  const total = Math.ceil((before + dictionary.length + 1) / ALIGNMENT) * ALIGNMENT;
  const header = new Uint8Array(total).fill(0x20);
  header.set(MAGIC);
  header.set([1, 0, (total - before) & 0xff, (total - before) >> 8], MAGIC.length);
  header.set(
    Array.from(dictionary, (char) => char.charCodeAt(0)),
    before,
  );
  header[total - 1] = 0x0a;
  return { ok: true, header, dataBytes, note };
}

const KINDS = { unsigned: 'u', signed: 'i', float: 'f', complex: 'c', bool: 'b' } as const;

/** `<f4`: byte order, kind and bytes. */
function descriptionOf(dtype: DtypeId, order: ByteOrder): string {
  const { kind, bytes, numpy } = dtypes[dtype];
  const sign = bytes === 1 ? '|' : order === 'little' ? '<' : '>';
  return `${sign}${numpy === null ? 'u' : KINDS[kind]}${bytes}`;
}

const BY_DESCRIPTION: ReadonlyMap<string, DtypeId> = new Map(
  (Object.keys(dtypes) as DtypeId[])
    .filter((dtype) => dtypes[dtype].numpy !== null)
    .map((dtype) => [descriptionOf(dtype, 'little').slice(1), dtype]),
);

export type NpyReading =
  | {
      readonly ok: true;
      readonly dtype: DtypeId;
      readonly order: ByteOrder;
      readonly shape: readonly number[];
      /** The first dimension lies side by side, not the last one. */
      readonly fortran: boolean;
      /** Where the elements begin in the file, and how many bytes they take. */
      readonly dataOffset: number;
      readonly dataBytes: number;
    }
  /** `needs`: so many bytes of the beginning of the file are needed to tell. */
  | { readonly ok: false; readonly message: string; readonly needs?: number };

/** What a file holds, by its first bytes. */
export function readNpy(bytes: Uint8Array): NpyReading {
  const no = (message: string, needs?: number): NpyReading => ({ ok: false, message, needs });
  if (MAGIC.some((byte, i) => i < bytes.length && bytes[i] !== byte)) return no('This is no .npy file of NumPy.');
  if (bytes.length < 12) return no('The file is too short for a header.', 12);
  const major = bytes[6] as number;
  if (major < 1 || major > 3) return no(`Version ${major}.${bytes[7]} of the .npy format is not known.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MAX_HEADER) return no('The header of this file is too long.');
  const dataOffset = (major === 1 ? 10 : 12) + length;
  if (bytes.length < dataOffset) return no('The file is too short for its header.', dataOffset);
  const text = new TextDecoder().decode(bytes.subarray(dataOffset - length, dataOffset)).trim();
  const entry = (name: string, value: string): string | undefined =>
    new RegExp(`[{,]\\s*['"]${name}['"]\\s*:\\s*(${value})\\s*[,}]`).exec(text)?.[1];
  const description = entry('descr', `'[^']*'|"[^"]*"`)?.slice(1, -1);
  if (description === undefined) return no('The elements of this file have fields, or its header is damaged.');
  const sign = /^[<>|=]/.test(description) ? description[0] : '=';
  const dtype = BY_DESCRIPTION.get(description.replace(/^[<>|=]/, ''));
  if (dtype === undefined) return no(`The type ${description} of NumPy is not among those shown here.`);
  const fortran = entry('fortran_order', 'True|False');
  const shapeText = entry('shape', '\\([\\d,\\sL]*\\)');
  if (fortran === undefined || shapeText === undefined) return no('The header of this file is damaged.');
  const shape = (shapeText.match(/\d+/g) ?? []).map(Number);
  const elements = shape.reduce((product, one) => product * one, 1);
  if (!shape.every(Number.isSafeInteger) || !Number.isSafeInteger(elements * dtypes[dtype].bytes)) {
    return no('The array of this file is larger than 2^53 bytes.');
  }
  return {
    ok: true,
    dtype,
    order: sign === '>' ? 'big' : 'little',
    shape,
    fortran: fortran === 'True',
    dataOffset,
    dataBytes: bytesOfElements(elements, dtype),
  };
}
