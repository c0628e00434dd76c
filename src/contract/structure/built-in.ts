/** The types that need no declaration: element types by their short names, and as C, CUDA and PyTorch call them. */
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import type { ElementType, Field, StructType, Type } from './types';

/** Alignment as C has it on 64-bit Linux: the size; of complex numbers the size of their parts. */
const alignmentOf = (dtype: DtypeId): number => dtypes[dtypes[dtype].part ?? dtype].bytes;

export const elementType = (dtype: DtypeId, name: string = dtype): ElementType => ({
  kind: 'element',
  name,
  dtype,
  size: dtypes[dtype].bytes,
  alignment: alignmentOf(dtype),
});

/** C's names on 64-bit Linux, where long has 8 bytes, then CUDA's and PyTorch's. */
const OTHER_NAMES: Readonly<Record<string, DtypeId>> = {
  uint8_t: 'u8',
  int8_t: 'i8',
  uint16_t: 'u16',
  int16_t: 'i16',
  uint32_t: 'u32',
  int32_t: 'i32',
  uint64_t: 'u64',
  int64_t: 'i64',
  size_t: 'u64',
  ssize_t: 'i64',
  ptrdiff_t: 'i64',
  uintptr_t: 'u64',
  intptr_t: 'i64',
  CUdeviceptr: 'u64',
  short: 'i16',
  int: 'i32',
  long: 'i64',
  unsigned: 'u32',
  signed: 'i32',
  uint: 'u32',
  uchar: 'u8',
  ushort: 'u16',
  ulong: 'u64',
  half: 'f16',
  __half: 'f16',
  float16: 'f16',
  bfloat16: 'bf16',
  __nv_bfloat16: 'bf16',
  nv_bfloat16: 'bf16',
  float: 'f32',
  float32: 'f32',
  double: 'f64',
  float64: 'f64',
  __nv_fp8_e4m3: 'f8e4m3',
  float8_e4m3fn: 'f8e4m3',
  __nv_fp8_e5m2: 'f8e5m2',
  float8_e5m2: 'f8e5m2',
  _Bool: 'bool',
  complex64: 'c64',
  complex128: 'c128',
  s8: 'i8',
  s16: 'i16',
  s32: 'i32',
  s64: 'i64',
};

/** CUDA's vectors: name, element, count, alignment. */
const VECTORS: readonly (readonly [string, DtypeId, number, number])[] = [
  ['half2', 'f16', 2, 4],
  ['__half2', 'f16', 2, 4],
  ['float2', 'f32', 2, 8],
  ['float3', 'f32', 3, 4],
  ['float4', 'f32', 4, 16],
  ['double2', 'f64', 2, 16],
  ['int2', 'i32', 2, 8],
  ['int3', 'i32', 3, 4],
  ['int4', 'i32', 4, 16],
  ['uint2', 'u32', 2, 8],
  ['uint3', 'u32', 3, 4],
  ['uint4', 'u32', 4, 16],
  ['dim3', 'u32', 3, 4],
];

function vector(name: string, dtype: DtypeId, count: number, alignment: number): StructType {
  const type = elementType(dtype);
  const fields = [...'xyzw'].slice(0, count).map((part, i): Field => {
    return { name: part, type, look: {}, offset: i * type.size, padding: false, alignment: 1 };
  });
  return { kind: 'struct', name, union: false, packed: false, fields, look: {}, size: count * type.size, alignment };
}

export const builtIn: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...dtypeIds.map((id): [string, Type] => [id, elementType(id)]),
  ...Object.entries(OTHER_NAMES).map(([name, id]): [string, Type] => [name, elementType(id, name)]),
  ...VECTORS.map((row): [string, Type] => [row[0], vector(...row)]),
  ['char', { kind: 'char', size: 1, alignment: 1 }],
  // cuComplex and cuDoubleComplex are float2 and double2, and aligned as these are.
  ['cuComplex', { ...elementType('c64', 'cuComplex'), alignment: 8 }],
  ['cuFloatComplex', { ...elementType('c64', 'cuFloatComplex'), alignment: 8 }],
  ['cuDoubleComplex', { ...elementType('c128', 'cuDoubleComplex'), alignment: 16 }],
]);

/** Words of C that are put together, in any order: `unsigned long long int`. Undefined when they make no type. */
export function combined(words: readonly string[]): Type | undefined {
  const sorted = [...words].sort().join(' ');
  const dtype = COMBINED.get(sorted);
  return dtype === undefined ? undefined : elementType(dtype, words.join(' '));
}

export const C_WORDS: ReadonlySet<string> = new Set(['unsigned', 'signed', 'char', 'short', 'int', 'long']);

const COMBINED: ReadonlyMap<string, DtypeId> = new Map(
  (
    [
      ['unsigned char', 'u8'],
      ['signed char', 'i8'],
      ['short int', 'i16'],
      ['signed short', 'i16'],
      ['signed short int', 'i16'],
      ['unsigned short', 'u16'],
      ['unsigned short int', 'u16'],
      ['signed int', 'i32'],
      ['unsigned int', 'u32'],
      ['long int', 'i64'],
      ['signed long', 'i64'],
      ['signed long int', 'i64'],
      ['unsigned long', 'u64'],
      ['unsigned long int', 'u64'],
      ['long long', 'i64'],
      ['long long int', 'i64'],
      ['signed long long', 'i64'],
      ['signed long long int', 'i64'],
      ['unsigned long long', 'u64'],
      ['unsigned long long int', 'u64'],
    ] as const
  ).map(([words, dtype]) => [words.split(' ').sort().join(' '), dtype]),
);
