import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BYTES_OF_A_TURN, PieceSum } from './piece-sum';
import { pieceSumOf } from './testing/oracle';

const PIECES_OF_A_TURN = BYTES_OF_A_TURN / 16;

describe('the sum of pieces', () => {
  it('is that of big integers, at any place and in any parts', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(12),
        fc.oneof(
          fc.nat(100),
          fc.integer({ min: PIECES_OF_A_TURN - 12, max: PIECES_OF_A_TURN + 12 }),
          fc.integer({ min: 0, max: 2 ** 40 }),
        ),
        (bytes, parts, first) => {
          const sum = new PieceSum(first);
          const cut = Math.min(16 * parts, bytes.byteLength);
          sum.add(bytes.subarray(0, cut));
          if (cut < bytes.byteLength) sum.add(bytes.subarray(cut));
          expect(sum.value).toBe(pieceSumOf(bytes, BigInt(first)));
        },
      ),
    );
  });

  it('tells where a flag of otherwise empty memory lies', () => {
    const sums = new Set<bigint>();
    for (let at = 0; at < 4096; at++) {
      const bytes = new Uint8Array(4096);
      bytes[at] = 1;
      const sum = new PieceSum();
      sum.add(bytes);
      sums.add(sum.value);
    }
    expect(sums.size).toBe(4096);
  });

  it('tells pieces apart that changed places', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.nat(60), fc.nat(60), (piece, one, other) => {
        fc.pre(one !== other && piece.some((byte) => byte !== 0));
        const of = (at: number): bigint => {
          const bytes = new Uint8Array(16 * 61);
          bytes.set(piece, 16 * at);
          const sum = new PieceSum();
          sum.add(bytes);
          return sum.value;
        };
        expect(of(one)).not.toBe(of(other));
      }),
    );
  });
});
