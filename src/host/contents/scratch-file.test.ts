import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GpuIpcError, type IpcError } from '#contract/result';
import { ScratchFile } from './scratch-file';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-scratch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function refusal(work: () => unknown): IpcError | undefined {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof GpuIpcError) return thrown.error;
    throw thrown;
  }
  return undefined;
}

describe('ScratchFile', () => {
  it('keeps bytes in a file without a name', async () => {
    const file = ScratchFile.open(4, join(folder, 'snapshots'));
    expect(readdirSync(join(folder, 'snapshots'))).toEqual([]);
    await file.write(Uint8Array.of(1, 2, 3, 4), 0);
    const read = new Uint8Array(2);
    await file.read(read, 1);
    file.close();
    expect([...read]).toEqual([2, 3]);
  });

  it('says that there is no room', () => {
    expect(refusal(() => ScratchFile.open(2 ** 60, folder))).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/^A snapshot of [0-9,.]+ [A-Z]iB does not fit/),
    });
  });

  it.each([
    ['in its place', ''],
    ['in place of a folder above it', 'snapshots'],
  ])('says that a file is %s', (_where, below) => {
    const place = join(folder, 'file');
    writeFileSync(place, '');
    expect(refusal(() => ScratchFile.open(4, join(place, below)))).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(
        /^A snapshot of 4 B needs a file in .*: there is a file in place of (the|a) folder[.]$/,
      ),
      hint: expect.any(String),
    });
  });

  it.runIf(process.platform === 'linux')('says what the system answers', () => {
    expect(refusal(() => ScratchFile.open(0, '/proc/self/fdinfo'))).toMatchObject({
      code: expect.stringMatching(/^(unsupported|not-allowed)$/),
      message: expect.stringMatching(/^A snapshot of 0 B needs a file in .proc.self.fdinfo: /),
    });
  });
});
