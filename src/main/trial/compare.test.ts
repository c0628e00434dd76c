import { describe, expect, it } from 'vitest';
import { compare } from './compare';

/** Readings one after another; the last one is given again. */
function readings(...checksums: string[]) {
  let next = 0;
  const read = async () => ({ checksum: checksums[Math.min(next++, checksums.length - 1)] ?? '', us: 1 });
  return { read, count: () => next };
}

describe('comparing both sides', () => {
  it('is done when they are the same', async () => {
    const exporter = readings('a');
    const compared = await compare(4096, exporter.read, readings('a').read);
    expect(compared).toMatchObject({ fits: true, exporter: 'a', importer: 'a', step: { ok: true, what: 'compare' } });
    expect(exporter.count()).toBe(2);
  });

  it('proves a difference only when the exporter stood still', async () => {
    const different = await compare(1, readings('a').read, readings('b').read);
    expect(different).toMatchObject({ fits: false, exporter: 'a', importer: 'b', step: { ok: false } });
    expect(different.step.detail).toMatch(/not the same/);
  });

  it('takes either reading of memory that changed', async () => {
    expect(await compare(1, readings('a', 'b').read, readings('b').read)).toMatchObject({ fits: true, exporter: 'b' });
    expect(await compare(1, readings('b', 'a').read, readings('b').read)).toMatchObject({ fits: true, exporter: 'b' });
  });

  it('reads again what is being written, and says so', async () => {
    const compared = await compare(1, readings('a', 'b', 'c').read, readings('x', 'c').read);
    expect(compared).toMatchObject({ fits: true, importer: 'c' });
    expect(compared.step.detail).toMatch(/read 2 times because it was being written/);
  });

  it('gives up on memory that never stands still, without a claim', async () => {
    const exporter = readings('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const compared = await compare(1, exporter.read, readings('x').read);
    expect(compared).toMatchObject({ fits: true, exporter: null, importer: null, step: { ok: true } });
    expect(compared.step.detail).toMatch(/cannot be compared/);
    expect(exporter.count()).toBe(6);
  });
});
