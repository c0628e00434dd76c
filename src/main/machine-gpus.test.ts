import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gpuIn, gpusOfMachine } from './machine-gpus';

const uuid = 'GPU-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const information = `Model: \t\t NVIDIA H200
IRQ:   \t\t 181
GPU UUID: \t ${uuid}
Video BIOS: \t 96.00.BC.00.01
Bus Type: \t PCIe
`;

describe("the kernel driver's GPUs", () => {
  it('are read out of their files', () => {
    expect(gpuIn(information)).toEqual({ uuid, name: 'NVIDIA H200' });
    expect(gpuIn('Model: NVIDIA H200\nGPU UUID: GPU-????????-????-????-????-????????????\n')).toBeUndefined();
  });

  it('are none without the driver, and one for each folder with it', () => {
    expect(gpusOfMachine('/nowhere')).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'gpus-'));
    mkdirSync(join(folder, '0000:19:00.0'));
    writeFileSync(join(folder, '0000:19:00.0/information'), information);
    expect(gpusOfMachine(folder)).toEqual([{ uuid, name: 'NVIDIA H200' }]);
    rmSync(folder, { recursive: true });
  });
});
