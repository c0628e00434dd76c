import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockAround, overlap, type Placed } from './block';

const placed = (objectId: string, start: bigint, bytes: number): Placed => ({
  objectId,
  label: objectId,
  start,
  bytes,
});

describe('the block around memory', () => {
  it('exposes what is not its own, and who else is in it', () => {
    const block = { start: 0x7f0000000000n, bytes: 0x200000 };
    const own = { start: block.start + 0x1000n, bytes: 0x1000 };
    const others = [
      placed('later', block.start + 0x3000n, 16),
      placed('elsewhere', block.start + 0x200000n, 16),
      placed('first', block.start, 0x1000),
    ];
    expect(blockAround(block, own, others)).toEqual({
      address: '0x7f0000000000',
      bytes: 0x200000,
      exposedBytes: 0x200000 - 0x1000,
      neighbours: [
        { objectId: 'first', label: 'first', address: '0x7f0000000000', bytes: 0x1000 },
        { objectId: 'later', label: 'later', address: '0x7f0000003000', bytes: 16 },
      ],
    });
    expect(blockAround(block, block, []).exposedBytes).toBe(0);
  });

  it('overlap counts common addresses', () => {
    const stretch = fc.record({ start: fc.bigInt(0n, 40n), bytes: fc.integer({ min: 0, max: 40 }) });
    const addresses = ({ start, bytes }: { start: bigint; bytes: number }) =>
      Array.from({ length: bytes }, (_, index) => Number(start) + index);
    fc.assert(
      fc.property(stretch, stretch, (a, b) => {
        const inB = new Set(addresses(b));
        expect(overlap(a, b)).toBe(addresses(a).filter((address) => inB.has(address)).length);
      }),
    );
  });
});
