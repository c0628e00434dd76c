import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeIds, dtypes } from '#contract/dtypes';
import {
  checkLayout,
  contiguity,
  contiguous,
  contiguousStrides,
  elementCount,
  elementPlace,
  parseShape,
  parseStrides,
  shapeText,
  type TensorLayout,
} from './shape';

describe('shapes', () => {
  it.each<[string, number[]]>([
    ['[2, 3, 4]', [2, 3, 4]],
    ['(2,3,)', [2, 3]],
    ['2x3x4', [2, 3, 4]],
    ['2 × 3', [2, 3]],
    ['torch.Size([1, 0])', [1, 0]],
    ['shape = (5,)', [5]],
    ['1_024 8', [1024, 8]],
    ['[]', []],
    ['()', []],
  ])('%s', (text, shape) => {
    expect(parseShape(text)).toEqual({ ok: true, value: shape });
    expect(parseShape(shapeText(shape))).toEqual({ ok: true, value: shape });
  });

  it.each(['', '[2, -1]', '2.5x3', '[2, 3', 'abc', '[2][3]', '94906267 94906267', `[${'1,'.repeat(17)}]`])(
    'not %s',
    (text) => {
      const reading = parseShape(text);
      expect(reading.ok ? '' : reading.message).not.toBe('');
    },
  );

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void [parseShape(text), parseStrides(text, 2)]));
  });
});

describe('strides', () => {
  it('are read in elements, as many as there are dimensions', () => {
    expect(parseStrides('[12, 4, -1]', 3)).toEqual({ ok: true, value: [12, 4, -1] });
    expect(parseStrides('()', 0)).toEqual({ ok: true, value: [] });
    expect(parseStrides('4 1', 3)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/3 dimensions.*2 strides/),
    });
    expect(parseStrides('[4, x]', 2)).toMatchObject({ ok: false });
  });

  it('without gaps are those of NumPy', () => {
    expect(contiguousStrides([2, 3, 4])).toEqual([12, 4, 1]);
    expect(contiguousStrides([2, 3, 4], 'F')).toEqual([1, 2, 6]);
    expect(contiguousStrides([])).toEqual([]);
    expect(contiguity(contiguous('f32', [2, 3]))).toBe('C');
    expect(contiguity({ ...contiguous('f32', [2, 3]), strides: [1, 2] })).toBe('F');
    expect(contiguity({ ...contiguous('f32', [2, 3]), strides: [6, 2] })).toBeNull();
  });
});

const layouts: fc.Arbitrary<TensorLayout> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -20, max: 20 })), { maxLength: 4 })
  .chain((dimensions) =>
    fc.record({
      dtype: fc.constantFrom(...dtypeIds),
      shape: fc.constant(dimensions.map(([length]) => length)),
      strides: fc.constant(dimensions.map(([, stride]) => stride)),
      offset: fc.nat({ max: 300 }),
    }),
  );

function* indexes(shape: readonly number[]): Generator<number[]> {
  const [first, ...rest] = shape;
  if (first === undefined) yield [];
  else for (let i = 0; i < first; i++) for (const inner of indexes(rest)) yield [i, ...inner];
}

describe('a layout in a memory', () => {
  it('is refused exactly when an element lies outside, and the index that is named does', () => {
    fc.assert(
      fc.property(layouts, fc.nat({ max: 1000 }), (layout, size) => {
        const { bytes, perUnit } = dtypes[layout.dtype];
        const starts = [...indexes(layout.shape)].map((index) => elementPlace(layout, index).byte);
        const inside = starts.every((start) => start >= 0 && start + bytes <= size);
        const reading = checkLayout(layout, size);
        expect(reading.ok).toBe(inside);
        if (reading.ok) {
          expect(reading.value.start).toBe(Math.min(...starts));
          expect(reading.value.end).toBe(Math.max(...starts) + bytes);
          expect(reading.value.elements).toBe(elementCount(layout.shape));
          const touched = new Set(starts.flatMap((start) => Array.from({ length: bytes }, (_, i) => start + i)));
          expect(reading.value.bytes).toBeGreaterThanOrEqual(Math.floor(touched.size / perUnit));
          expect(reading.value.bytes).toBeLessThanOrEqual(reading.value.end - reading.value.start);
        } else {
          const named = /\[(.*)\]/.exec(reading.message)?.[1] ?? '';
          const start = elementPlace(layout, named === '' ? [] : named.split(', ').map(Number)).byte;
          expect(start < 0 || start + bytes > size).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('says where it leads, also with numbers that are too large to count with', () => {
    expect(checkLayout(contiguous('f32', [4, 4]), 60)).toEqual({
      ok: false,
      message: 'Index [3, 3] lies at bytes 60 to 63; the memory has 60 bytes.',
    });
    expect(checkLayout({ ...contiguous('u8', [4]), strides: [-1] }, 60)).toMatchObject({
      message: 'Index [3] lies 3 bytes before the start of the memory.',
    });
    expect(checkLayout({ ...contiguous('c128', [2 ** 40]), strides: [2 ** 50] }, 60)).toMatchObject({ ok: false });
    expect(checkLayout(contiguous('u4', [5]), 3)).toMatchObject({ ok: true, value: { bytes: 3 } });
    expect(checkLayout(contiguous('f32', [3, 0]), 0)).toMatchObject({ ok: true, value: { elements: 0 } });
    expect(checkLayout({ ...contiguous('f32', [1000]), strides: [0] }, 4)).toMatchObject({ value: { bytes: 4 } });
  });
});
