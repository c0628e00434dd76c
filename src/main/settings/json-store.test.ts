import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultSettings, settingsSchema } from '#contract/settings';
import { JsonStore } from './json-store';

let folder: string;
let path: string;

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-store-'));
  path = join(folder, 'deep', 'settings.json');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const store = () => new JsonStore(path, settingsSchema);

describe('JsonStore', () => {
  it('begins with the defaults and writes nothing by itself', () => {
    expect(store().value).toEqual(defaultSettings);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('remembers, writing several changes once and whole', () => {
    const first = store();
    first.set({ ...first.value, theme: 'dark' });
    first.set({ ...first.value, followHz: 20 });
    vi.advanceTimersByTime(1_000);
    expect(store().value).toMatchObject({ theme: 'dark', followHz: 20 });
    expect(readdirSync(join(folder, 'deep'))).toEqual(['settings.json']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('loses nothing when the app ends before the write', () => {
    const first = store();
    first.set({ ...first.value, theme: 'light' });
    first.flush();
    expect(store().value.theme).toBe('light');
  });

  it.each(['{"theme": "dark"', '{"theme": "purple"}', 'null', ''])('puts %j aside and starts anew', (text) => {
    const first = store();
    first.set(first.value);
    first.flush();
    writeFileSync(path, text);
    const next = store();
    expect(next.value).toEqual(defaultSettings);
    expect(readFileSync(`${path}.broken`, 'utf8')).toBe(text);
    next.set({ ...next.value, theme: 'dark' });
    next.flush();
    expect(store().value.theme).toBe('dark');
  });

  it('keeps the fields that fit, and the file with those that do not', () => {
    mkdirSync(join(folder, 'deep'));
    const text =
      '{"theme": "dark", "followHz": "fast", "layout": {"rail": "wide"}, "density": "roomy", "__proto__": 1}';
    writeFileSync(path, text);
    expect(store().value).toEqual({ ...defaultSettings, theme: 'dark', density: 'roomy' });
    expect(readFileSync(`${path}.broken`, 'utf8')).toBe(text);
  });

  it.each([
    ['a folder', () => mkdirSync(path)],
    ['a folder with files', () => mkdirSync(join(path, 'inside'), { recursive: true })],
    ['a pipe', () => execFileSync('mkfifo', [path])],
    [
      'a file of gigabytes',
      () => {
        writeFileSync(path, '');
        truncateSync(path, 3 * 1024 ** 3);
      },
    ],
  ])('puts %s in its place aside, and remembers again', (_what, make) => {
    mkdirSync(join(folder, 'deep'));
    make();
    const first = store();
    expect(first.value).toEqual(defaultSettings);
    first.set({ ...first.value, theme: 'dark' });
    first.flush();
    expect(store().value.theme).toBe('dark');
    expect(readdirSync(join(folder, 'deep')).sort()).toEqual(['settings.json', 'settings.json.broken']);
  });

  it('goes on when the disk refuses', () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
    writeFileSync(join(folder, 'deep'), 'a file where a folder should be');
    const first = store();
    first.set({ ...first.value, theme: 'dark' });
    expect(() => first.flush()).not.toThrow();
    expect(first.value.theme).toBe('dark');
    expect(quiet).toHaveBeenCalled();
    quiet.mockRestore();
  });
});
