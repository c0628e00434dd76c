import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GpuIpcError } from '#contract/result';
import { cString, fits, sizeIn, toSize } from './numbers';

describe('64-bit values', () => {
  it('keep every safe size exactly, and refuse what is no size', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (size) => toSize(BigInt(size)) === size));
    expect(() => toSize(2n ** 53n)).toThrow(GpuIpcError);
  });

  it('refuse as a size whatever C would take for another number', () => {
    for (const wrong of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => sizeIn(wrong)).toThrow(GpuIpcError);
    }
    expect(sizeIn(0)).toBe(0);
  });

  it('refuse a copy that is larger than its JavaScript buffer', () => {
    const buffer = new Uint8Array(16);
    expect(fits(buffer, 16)).toBe(16);
    for (const wrong of [17, -1, 1.5, Number.NaN]) expect(() => fits(buffer, wrong)).toThrow(GpuIpcError);
  });

  it('read C strings up to the zero', () => {
    expect(cString(new TextEncoder().encode('H200\0rest'))).toBe('H200');
    expect(cString(new TextEncoder().encode('full'))).toBe('full');
  });
});
