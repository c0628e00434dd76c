/** The GPUs that the kernel's driver has, whether or not a process sees them (CUDA_VISIBLE_DEVICES). */
import { readdirSync, readFileSync } from 'node:fs';

export interface MachineGpu {
  readonly uuid: string;
  readonly name?: string;
}

/** None without NVIDIA's kernel driver. */
export function gpusOfMachine(folder = '/proc/driver/nvidia/gpus'): MachineGpu[] {
  try {
    return readdirSync(folder).flatMap((bus) => gpuIn(readFileSync(`${folder}/${bus}/information`, 'utf8')) ?? []);
  } catch {
    return [];
  }
}

/** @param text of /proc/driver/nvidia/gpus/BUS/information */
export function gpuIn(text: string): MachineGpu | undefined {
  const uuid = /^GPU UUID:\s*(GPU-[0-9a-f-]{36})\s*$/m.exec(text)?.[1];
  const name = /^Model:\s*(.+)$/m.exec(text)?.[1]?.trim();
  return uuid === undefined ? undefined : { uuid, ...(name === undefined ? {} : { name }) };
}
