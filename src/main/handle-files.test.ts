import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_FILE } from '#contract/paste/file-text';
import { toIpcError } from '#contract/result';
import { readHandleFile, writeDescriptorFile } from './handle-files';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-handle-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const problem = async (path: string) => {
  try {
    return await readHandleFile(path);
  } catch (thrown) {
    return toIpcError(thrown);
  }
};

describe('a descriptor as a file', () => {
  it('is for its owner alone, also where others could read what was there', async () => {
    const path = at('weights.json');
    writeFileSync(path, 'before', { mode: 0o644 });
    const before = process.umask(0);
    try {
      await writeDescriptorFile(path, '{ "format": "gpu-ipc-descriptor" }');
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe('{ "format": "gpu-ipc-descriptor" }\n');
    expect(await readHandleFile(path)).toBe('{ "format": "gpu-ipc-descriptor" }\n');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
  it('says why it cannot be written', async () => {
    await expect(writeDescriptorFile(at('nowhere/x.json'), '{}')).rejects.toMatchObject({
      error: { code: 'unsupported', message: expect.stringContaining('does not exist') },
    });
  });
});

describe('a file to look for handles in', () => {
  it('of 64 bytes is a handle', async () => {
    writeFileSync(at('handle.bin'), new Uint8Array(64).fill(0xab));
    expect(await readHandleFile(at('handle.bin'))).toBe('ab'.repeat(64));
  });
  it('is refused when it is too large, no text, no file, or not there', async () => {
    writeFileSync(at('large.log'), new Uint8Array(MAX_FILE + 1).fill(0x61));
    expect(await problem(at('large.log'))).toMatchObject({
      code: 'out-of-range',
      message: `${at('large.log')} cannot be read. It has 1,048,577 bytes; at most 1.00 MiB are read as a text.`,
    });
    writeFileSync(at('zeros.bin'), new Uint8Array(100));
    expect(await problem(at('zeros.bin'))).toMatchObject({ code: 'invalid-argument' });
    expect(await problem(folder)).toMatchObject({ message: expect.stringMatching(/is no file|is a folder/) });
    expect(await problem(at('nothing'))).toMatchObject({ message: expect.stringContaining('does not exist') });
    execFileSync('mkfifo', [at('pipe')]);
    expect(await problem(at('pipe'))).toMatchObject({ message: expect.stringContaining('is no file') });
  });
});
