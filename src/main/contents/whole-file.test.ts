import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeWholeFile } from './whole-file';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-whole-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (...names: string[]) => join(folder, ...names);
const put = (path: string, text = 'new', mode?: number) => writeWholeFile(path, (add) => add(Buffer.from(text)), mode);
const modeOf = (path: string) => statSync(path).mode & 0o777;
const parts = (path = folder) => readdirSync(path).filter((name) => name.endsWith('.part'));

it('keeps who may use a file that is there, whatever the umask', async () => {
  for (const mode of [0o600, 0o664, 0o755]) {
    writeFileSync(at('a'), 'old');
    chmodSync(at('a'), mode);
    await put(at('a'));
    expect(readFileSync(at('a'), 'utf8')).toBe('new');
    expect(modeOf(at('a'))).toBe(mode);
  }
});

it('gives a mode that is asked for, also where a wider one was', async () => {
  writeFileSync(at('a'), 'old');
  chmodSync(at('a'), 0o666);
  await put(at('a'), 'new', 0o600);
  expect(modeOf(at('a'))).toBe(0o600);
});

it('writes where a symbolic link points to, through several, also where nothing is yet', async () => {
  mkdirSync(at('elsewhere'));
  writeFileSync(at('elsewhere', 'file'), 'old');
  symlinkSync('elsewhere/file', at('link'));
  symlinkSync(at('link'), at('second'));
  symlinkSync('elsewhere/nothing', at('dangling'));
  await put(at('second'), 'through two');
  await put(at('dangling'), 'made');
  for (const link of ['link', 'second', 'dangling']) expect(lstatSync(at(link)).isSymbolicLink()).toBe(true);
  expect(readFileSync(at('elsewhere', 'file'), 'utf8')).toBe('through two');
  expect(readFileSync(at('elsewhere', 'nothing'), 'utf8')).toBe('made');
  expect([...parts(), ...parts(at('elsewhere'))]).toEqual([]);
});

it('refuses what is no file, and leaves it and the folder as they were', async () => {
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('pipe', at('to-pipe'));
  symlinkSync('circle', at('circle'));
  await expect(put(at('folder'))).rejects.toMatchObject({
    error: { code: 'unsupported', message: expect.stringMatching(/it is a folder/) },
  });
  for (const name of ['pipe', 'to-pipe']) {
    await expect(put(at(name))).rejects.toMatchObject({
      error: { code: 'unsupported', message: expect.stringMatching(/would be replaced/) },
    });
  }
  await expect(put(at('circle'))).rejects.toMatchObject({ error: { message: expect.stringMatching(/in a circle/) } });
  await expect(put(at('x'.repeat(300)))).rejects.toMatchObject({
    error: { message: expect.stringMatching(/name is too long/) },
  });
  expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  expect(parts()).toEqual([]);
});

it('leaves what is there when writing ends early', async () => {
  writeFileSync(at('a'), 'old');
  const writing = writeWholeFile(at('a'), async (add) => {
    await add(Buffer.from('half'));
    throw new Error('cancelled');
  });
  await expect(writing).rejects.toThrow('cancelled');
  expect(readFileSync(at('a'), 'utf8')).toBe('old');
  expect(parts()).toEqual([]);
});
