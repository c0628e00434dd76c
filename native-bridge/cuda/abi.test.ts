import { describe, expect, it } from 'vitest';
import { assertLayouts, layoutDifferences, layouts } from './abi';

describe('struct layouts', () => {
  it('are those of the driver', () => {
    expect(layoutDifferences()).toEqual([]);
    expect(() => assertLayouts()).not.toThrow();
  });

  it('would be noticed if they were not', () => {
    const wrong = { CUmemPoolProps: { size: 96, align: 8, offsets: { maxSize: 32 } } };
    expect(layoutDifferences({ ...layouts, ...wrong })).toEqual([
      'size of CUmemPoolProps is 88, the driver expects 96',
      'offset of CUmemPoolProps.maxSize is 24, the driver expects 32',
    ]);
  });
});
