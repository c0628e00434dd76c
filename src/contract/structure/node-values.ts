/** Single values of a format as text: numbers, members of enums, bits, texts. */
import { type ByteOrder, decodeValue, formatValue, isNotFinite } from '#contract/decode-values';
import { dtypes, isFloat, isInteger } from '#contract/dtypes';
import type { ArrayType, ElementType, Look, StructType, Type } from './types';

/** The number that a type is in memory; undefined for what is none. */
export function scalarOf(type: Type): ElementType | undefined {
  if (type.kind === 'element') return isInteger(type.dtype) || type.dtype === 'bool' ? type : undefined;
  if (type.kind === 'enum' || type.kind === 'bits') return type.base;
  if (type.kind === 'pointer') return POINTER;
  return undefined;
}
const POINTER: ElementType = { kind: 'element', name: 'u64', dtype: 'u64', size: 8, alignment: 8 };

/** Bits of memory as a number: from the lowest bit of the first byte on, in big-endian memory from the highest. */
export function extract(bytes: Uint8Array, bit: number, width: number, order: ByteOrder): bigint {
  let value = 0n;
  for (let i = 0; i < bytes.length; i++) {
    const byte = BigInt(bytes[i] as number);
    value = order === 'little' ? value | (byte << BigInt(8 * i)) : (value << 8n) | byte;
  }
  const shift = order === 'little' ? bit : bytes.length * 8 - bit - width;
  return BigInt.asUintN(width, value >> BigInt(shift));
}

export const signed = (value: bigint, width: number, { dtype }: ElementType): bigint =>
  dtypes[dtype].kind === 'signed' ? BigInt.asIntN(width, value) : value;

/** What a node shows; the fields of StructureNode. */
interface Shown {
  readonly value: string | null;
  readonly raw?: number | string;
  readonly error?: string;
}

export function scalarText(
  type: Exclude<Type, ArrayType | StructType>,
  bytes: Uint8Array,
  look: Look,
  order: ByteOrder,
  lane: number,
): Shown {
  if (type.kind === 'char') {
    const code = bytes[0] as number;
    const text =
      code >= 0x20 && code < 0x7f ? `'${String.fromCharCode(code)}'` : `0x${code.toString(16).padStart(2, '0')}`;
    return { value: text, raw: code };
  }
  if (type.kind === 'pointer') {
    return numberText(type, decodeValue(bytes, 0, 'u64', order) as bigint, { ...look, base: 'hex' }, 64);
  }
  const base = type.kind === 'element' ? type : type.base;
  const { bits } = dtypes[base.dtype];
  const value = decodeValue(bytes, 0, base.dtype, order, lane);
  if (scalarOf(base) !== undefined) return numberText(type, BigInt(value as number | bigint), look, bits);
  if (look.base !== undefined) {
    const raw = extract(bytes, 0, bits, order);
    return { value: based(raw, bits, look.base), raw: String(raw) };
  }
  const text = formatValue(value, base.dtype);
  return { value: text, raw: isFloat(base.dtype) && !isNotFinite(value) ? Number(value) : text };
}

/** A whole number as its type shows it. */
export function numberText(type: Type, value: bigint, look: Look, width: number): Shown {
  const raw = value <= MAX_SAFE && value >= -MAX_SAFE ? Number(value) : String(value);
  if (type.kind === 'enum') {
    const member = type.members.find((one) => one.value === value);
    const number = look.base === undefined ? String(value) : based(value, width, look.base);
    if (member !== undefined) return { value: member.name, raw };
    return { value: number, raw, error: `No member of ${type.name} is ${number}.` };
  }
  if (look.base !== undefined) return { value: based(value, width, look.base), raw };
  if (type.kind === 'element' && type.dtype === 'bool') return { value: formatValue(Number(value), 'bool'), raw };
  return { value: String(value), raw };
}
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** All bits of the number, as two's complement. */
function based(value: bigint, width: number, base: 'hex' | 'binary'): string {
  const bits = BigInt.asUintN(width, value);
  return base === 'hex'
    ? `0x${bits.toString(16).padStart(Math.ceil(width / 4), '0')}`
    : `0b${bits.toString(2).padStart(width, '0')}`;
}

export const quoted = (text: string): string => JSON.stringify(text);

/** Elements in the value of an array. */
export const PREVIEW = 8;

/** Whether an element is one value, and not made of others. */
export const isSingle = ({ kind }: Type): boolean => kind !== 'array' && kind !== 'struct' && kind !== 'bits';

/** `[1, 2, 3, …]`; null when its elements are no single values. */
export function preview(
  element: Type,
  children: readonly { readonly value: string | null }[],
  count: number,
  from: number,
): string | null {
  if (!isSingle(element)) return null;
  const shown = children.slice(0, PREVIEW).map(({ value }) => value ?? '··');
  const [before, after] = [from > 0 ? '…, ' : '', from + shown.length < count ? ', …' : ''];
  return `[${before}${shown.join(', ')}${after}]`;
}
