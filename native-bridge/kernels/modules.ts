/** The kernels' PTX by module. scripts/kernels-build.mjs makes it; docs/kernels.md says what the kernels do. */
import sample from './sample.ptx?raw';
import scan from './scan.ptx?raw';
import bf16 from './statistics_bf16.ptx?raw';
import bytes from './statistics_bytes.ptx?raw';
import f16 from './statistics_f16.ptx?raw';
import f32 from './statistics_f32.ptx?raw';
import f64 from './statistics_f64.ptx?raw';
import i16 from './statistics_i16.ptx?raw';
import i32 from './statistics_i32.ptx?raw';
import i64 from './statistics_i64.ptx?raw';
import u16 from './statistics_u16.ptx?raw';
import u32 from './statistics_u32.ptx?raw';
import u64 from './statistics_u64.ptx?raw';
import summary from './summary.ptx?raw';

export const kernelModules = {
  sample,
  scan,
  summary,
  statistics_bytes: bytes,
  statistics_u16: u16,
  statistics_i16: i16,
  statistics_u32: u32,
  statistics_i32: i32,
  statistics_u64: u64,
  statistics_i64: i64,
  statistics_f16: f16,
  statistics_bf16: bf16,
  statistics_f32: f32,
  statistics_f64: f64,
};

export type KernelModule = keyof typeof kernelModules;
