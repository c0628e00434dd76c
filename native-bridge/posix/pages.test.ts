import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { giveBackPages, populate } from './pages';

const MiB = 1024 * 1024;
/** What this process has in memory, in bytes. */
const resident = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

describe.runIf(process.platform === 'linux')('pages of a buffer', () => {
  it('are there after populating, and gone after giving them back', async () => {
    const buffer = new Uint8Array(256 * MiB);
    const before = resident();
    const done = await populate(buffer);
    // A kernel before 5.14 leaves them for the first write.
    if (done) expect(resident() - before).toBeGreaterThan(200 * MiB);
    buffer[100 * MiB] = 7;
    giveBackPages(buffer);
    expect(resident() - before).toBeLessThan(100 * MiB);
    expect(buffer[100 * MiB]).toBe(0);
    buffer[100 * MiB] = 9;
    expect(buffer[100 * MiB]).toBe(9);
  });

  it('does nothing to a small buffer', async () => {
    const buffer = new Uint8Array(5000).fill(3);
    expect(await populate(buffer)).toBe(false);
    giveBackPages(buffer);
    expect(buffer.every((byte) => byte === 3)).toBe(true);
  });
});
