/** The kernels' PTX is that of their sources, and one that old drivers and the simulator take. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { moduleNames, ptxFile, sourcesHash } from './kernels-build.mjs';

describe.each(moduleNames)('%s.ptx', (name) => {
  const text = readFileSync(ptxFile(name), 'utf8');

  it('was made from the sources as they are: node scripts/kernels-build.mjs', () => {
    expect(/^\/\/ sources sha256 ([0-9a-f]{64})$/m.exec(text)?.[1]).toBe(sourcesHash());
  });

  it('is for all drivers since CUDA 11 and all GPUs since Turing', () => {
    expect(text).toContain('\n.version 6.3\n');
    expect(text).toContain('\n.target sm_75\n');
  });

  it('has the head by which the simulator knows it', () => {
    expect(text.startsWith('// GPU IPC Inspector kernels')).toBe(true);
  });
});
