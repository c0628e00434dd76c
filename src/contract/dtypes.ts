/** Element types of buffers. One table, used by fills, the value views and labels. */

export interface Dtype {
  /** Size of one element in bytes. */
  readonly bytes: number;
  readonly kind: 'unsigned' | 'signed' | 'float';
  /** For people: `bf16` is `bfloat16`. */
  readonly name: string;
}

export const dtypes = {
  u8: { bytes: 1, kind: 'unsigned', name: 'unsigned 8-bit integer' },
  i8: { bytes: 1, kind: 'signed', name: 'signed 8-bit integer' },
  u16: { bytes: 2, kind: 'unsigned', name: 'unsigned 16-bit integer' },
  i16: { bytes: 2, kind: 'signed', name: 'signed 16-bit integer' },
  u32: { bytes: 4, kind: 'unsigned', name: 'unsigned 32-bit integer' },
  i32: { bytes: 4, kind: 'signed', name: 'signed 32-bit integer' },
  u64: { bytes: 8, kind: 'unsigned', name: 'unsigned 64-bit integer' },
  i64: { bytes: 8, kind: 'signed', name: 'signed 64-bit integer' },
  f16: { bytes: 2, kind: 'float', name: 'IEEE 754 half precision' },
  bf16: { bytes: 2, kind: 'float', name: 'bfloat16' },
  f32: { bytes: 4, kind: 'float', name: 'IEEE 754 single precision' },
  f64: { bytes: 8, kind: 'float', name: 'IEEE 754 double precision' },
} as const satisfies Record<string, Dtype>;

export type DtypeId = keyof typeof dtypes;
export const dtypeIds = Object.keys(dtypes) as [DtypeId, ...DtypeId[]];
