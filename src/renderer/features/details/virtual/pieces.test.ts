import { describe, expect, it } from 'vitest';
import { offsetText, rangeWords, segmentsOf } from './pieces';

const MIB = 2 ** 20;

describe('segments of a range', () => {
  const piece = (offset: number, physicalId: string) => ({ offset, bytes: 2 * MIB, physicalId });

  it('are pieces and the gaps before, between and after them', () => {
    expect(segmentsOf(10 * MIB, [piece(6 * MIB, 'b'), piece(2 * MIB, 'a')])).toEqual([
      { kind: 'gap', offset: 0, bytes: 2 * MIB },
      { kind: 'piece', ...piece(2 * MIB, 'a') },
      { kind: 'gap', offset: 4 * MIB, bytes: 2 * MIB },
      { kind: 'piece', ...piece(6 * MIB, 'b') },
      { kind: 'gap', offset: 8 * MIB, bytes: 2 * MIB },
    ]);
  });

  it('without memory are one gap, and without gaps none', () => {
    expect(segmentsOf(2 * MIB, [])).toEqual([{ kind: 'gap', offset: 0, bytes: 2 * MIB }]);
    expect(segmentsOf(2 * MIB, [piece(0, 'a')]).map(({ kind }) => kind)).toEqual(['piece']);
  });

  it('begin at offsets that are written exactly', () => {
    expect([0, 2 * MIB, 1026 * MIB, 4096].map(offsetText)).toEqual(['+0', '+2 MiB', '+1,026 MiB', '+4,096']);
  });

  it('are said in words, gaps too', () => {
    const words = (chunks: Parameters<typeof segmentsOf>[1]) =>
      rangeWords(
        'range',
        segmentsOf(4 * MIB, chunks),
        (id) => id,
        () => ', descriptor 7 open',
      );
    expect(words([])).toBe('range: addresses without memory.');
    expect(words([piece(0, 'a')])).toBe(
      'range has 1 piece of physical memory: bytes 0 to 2,097,151 are a, 2.00 MiB, descriptor 7 open; bytes 2,097,152 to 4,194,303 are not mapped.',
    );
  });
});
