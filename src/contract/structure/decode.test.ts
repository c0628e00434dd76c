import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decoded, type DecodeOptions, decodeStructure, type StructureNode } from './decode';
import { formatExamples } from './examples';
import { neededBytes } from './layout';
import { parseFormat } from './parse';

function decode(text: string, bytes: Parameters<typeof decodeStructure>[0], options?: DecodeOptions): Decoded {
  const reading = parseFormat(text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return decodeStructure(bytes, reading.format, options);
}

/** Nodes with single values as `name: value`, those with children as `name: { … }`. */
function outline({ name, value, children, state, error }: StructureNode): unknown {
  const shown = state ?? (error === undefined ? value : `${value} (${error})`);
  return children === undefined || children.length === 0 ? `${name}: ${shown}` : { [name]: children.map(outline) };
}
const values = (root: StructureNode): unknown[] => (root.children ?? []).map(outline);

/** Bytes of numbers in little-endian order: `[width, value]`. */
function pack(...numbers: readonly (readonly [number, number | bigint])[]): Uint8Array {
  return Uint8Array.from(
    numbers.flatMap(([width, value]) =>
      Array.from({ length: width }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 0xffn)),
    ),
  );
}

describe('values', () => {
  it('of every kind', () => {
    const text = `
      enum Kind : u8 { A, B = 5 };
      u8 small; i8 negative; u16 shown [[hex]]; Kind one; Kind other; bool yes; char letter;
      i64 large; f32 half; void *pointer; char name[8]; u4 halves[4]; u16 bits : { ready : 1; mode : 3; i16 rest : 4; };`;
    const bytes = new Uint8Array(64);
    const view = new DataView(bytes.buffer);
    bytes.set([200, 0xff, 0x34, 0x12, 5, 7, 1, 0x41]);
    view.setBigInt64(8, -(2n ** 60n), true);
    view.setFloat32(16, 0.1, true);
    view.setBigUint64(24, 0x7f41a8000000n, true);
    bytes.set(new TextEncoder().encode('grün\0xy'), 32);
    bytes.set([0x21, 0xf3], 40);
    view.setUint16(42, 0b1111_101_1, true);
    const { root, missing } = decode(text, bytes);
    expect(missing).toEqual([]);
    expect(values(root)).toEqual([
      'small: 200',
      'negative: -1',
      'shown: 0x1234',
      'one: B',
      'other: 7 (No member of Kind is 7.)',
      'yes: true',
      "letter: 'A'",
      'large: -1152921504606846976',
      'half: 0.1',
      'pointer: 0x00007f41a8000000',
      'name: "grün"',
      { halves: ['[0]: 1', '[1]: 2', '[2]: 3', '[3]: 15'] },
      { bits: ['ready: 1', 'mode: 5', 'rest: -1'] },
    ]);
    expect(root.children?.map(({ raw }) => raw).slice(0, 11)).toEqual([
      200,
      255 - 256,
      0x1234,
      5,
      7,
      1,
      0x41,
      '-1152921504606846976',
      Math.fround(0.1),
      0x7f41a8000000,
      'grün',
    ]);
    expect(root.children?.[11]).toMatchObject({
      type: 'u4[4]',
      value: '[1, 2, 3, 15]',
      offset: 40,
      bytes: 2,
      count: 4,
    });
  });

  it('in both byte orders, as asked and as annotated', () => {
    const bytes = Uint8Array.of(1, 2, 1, 2, 1, 2, 1, 2);
    const text = 'struct I { u16 x; }; u16 a; u16 b [[big]]; I c [[big]]; u16 d [[little]];';
    expect(values(decode(text, bytes).root)).toEqual(['a: 513', 'b: 258', { c: ['x: 258'] }, 'd: 513']);
    expect(values(decode(text, bytes, { byteOrder: 'big' }).root)).toEqual([
      'a: 258',
      'b: 258',
      { c: ['x: 258'] },
      'd: 513',
    ]);
  });

  it('of bit fields, as shifts and masks give them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 32 }), { minLength: 1, maxLength: 8 }),
        fc.uint8Array({ minLength: 40, maxLength: 40 }),
        (widths, bytes) => {
          const fields = widths.map((width, i) => `u32 f${i} : ${width};`).join(' ');
          const { root } = decode(`struct [[packed]] A { ${fields} };`, bytes);
          const all = [...bytes].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
          let at = 0n;
          const expected = widths.map((width) => {
            const value = (all >> at) & ((1n << BigInt(width)) - 1n);
            at += BigInt(width);
            return String(value);
          });
          expect(root.children?.map(({ value }) => value)).toEqual(expected);
          // Big-endian: from the highest bit of the first byte on.
          const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
          let from = 0;
          const big = widths.map((width) => {
            const value = BigInt(`0b${bits.slice(from, from + width)}`);
            from += width;
            return String(value);
          });
          const other = decode(`struct [[packed, big]] A { ${fields} };`, bytes).root;
          expect(other.children?.map(({ value }) => value)).toEqual(big);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('lengths out of the memory', () => {
  const text = 'struct R { u8 n; u16 items[n]; }; u8 count; R records[count]; u8 end;';

  it('place everything behind them', () => {
    const bytes = Uint8Array.of(2, 0, 1, 0, 7, 0, 2, 0, 8, 0, 9, 0, 99);
    const { root } = decode(text, bytes);
    expect(values(root)).toEqual([
      'count: 2',
      { records: [{ '[0]': ['n: 1', { items: ['[0]: 7'] }] }, { '[1]': ['n: 2', { items: ['[0]: 8', '[1]: 9'] }] }] },
      'end: 99',
    ]);
    expect(root.bytes).toBe(14);
    expect(root.children?.[1]).toMatchObject({ offset: 2, bytes: 10, count: 2, type: 'R[count]' });
  });

  it('that make no sense are said, and nothing behind them is made up', () => {
    const bad = decode('i32 n; f32 items[n]; u8 end;', pack([4, -1], [4, 0], [4, 0]));
    expect(values(bad.root)).toEqual(['n: -1', 'items: null (Its length “n” is -1: no length.)']);
    expect(bad.root.error).toMatch(/no length/);
    const large = decode('u32 n; f32 items[n];', pack([4, 4e9], [4, 0x3f800000]), { available: 8 });
    expect(large.root.children?.[1]).toMatchObject({
      count: 4e9,
      value: '[1, …]',
      error: '“n” says 4000000000 elements; the memory ends after 1.',
    });
    const divided = decode('u32 n; u8 items[8 / n];', pack([4, 0]));
    expect(divided.root.children?.[1]?.error).toMatch(/divided by zero/);
  });

  it('from bit fields and enums work too', () => {
    const { root } = decode(
      'enum E : u8 { Two = 2 }; u8 n : 4; u8 m : 4; E e; u8 a[n]; u8 b[e];',
      Uint8Array.of(0x01, 2, 7, 8, 9),
    );
    expect(values(root).slice(3)).toEqual([{ a: ['[0]: 7'] }, { b: ['[0]: 8', '[1]: 9'] }]);
  });
});

describe('what is not read', () => {
  it('is marked, listed, and known after it was fetched', () => {
    const whole = Uint8Array.from({ length: 400 }, (_, i) => i);
    const text = 'u8 n; u8 gap[298]; u8 count; u8 items[count];';
    whole[299] = 3;
    const first = decode(text, whole.subarray(0, 4), { available: 400, limits: { children: 4 } });
    expect(first.root.children?.[2]).toMatchObject({ name: 'count', value: null, state: 'unread', offset: 299 });
    expect(first.missing).toContainEqual({ offset: 299, bytes: 1 });
    let pieces = [{ offset: 0, bytes: whole.subarray(0, 4) }];
    let decoded = first;
    for (let round = 0; round < 3 && decoded.missing.length > 0; round++) {
      const more = decoded.missing.map(({ offset, bytes }) => ({
        offset,
        bytes: whole.subarray(offset, offset + bytes),
      }));
      pieces = [...pieces, ...more];
      decoded = decode(text, pieces, { available: 400, limits: { children: 4 } });
    }
    expect(decoded.missing).toEqual([]);
    expect(outline(decoded.root.children?.[3] as StructureNode)).toEqual({ items: ['[0]: 44', '[1]: 45', '[2]: 46'] });
  });

  it('behind the end of the memory is not asked for', () => {
    const { root, missing } = decode('u32 a; u32 b; char c[4]; u16 d[2];', pack([4, 1], [2, 2]), { available: 6 });
    expect(values(root)).toEqual(['a: 1', 'b: outside', 'c: outside', 'd: outside']);
    expect(missing).toEqual([]);
  });

  it('is never taken from outside the bytes: any byte that is not given changes nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...formatExamples.map(({ text }) => text)),
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        fc.nat({ max: 64 }),
        fc.nat({ max: 255 }),
        (text, bytes, given, rest) => {
          const around = new Uint8Array(128).fill(rest);
          around.set(bytes.subarray(0, given), 32);
          const view = around.subarray(32, 32 + given);
          const alone = bytes.slice(0, given);
          expect(decode(text, view)).toEqual(decode(text, alone));
          for (const { offset, bytes: length } of decode(text, view).missing)
            expect(offset + length).toBeGreaterThan(given);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is nothing when neededBytes are given', () => {
    for (const text of ['struct A { u8 a; f64 b[3]; }; A at 5;', 'u32 a : 3; u64 b; u4 c[16];']) {
      const reading = parseFormat(text);
      if (!reading.ok) throw new Error('no format');
      const { bytes, exact } = neededBytes(reading.format);
      expect(exact).toBe(true);
      expect(decodeStructure(new Uint8Array(bytes), reading.format).missing).toEqual([]);
      expect(decodeStructure(new Uint8Array(bytes - 1), reading.format).missing).not.toEqual([]);
    }
  });
});

describe('limits', () => {
  it('an array of values says what is in it also where its elements are left out', () => {
    const text = 'struct P { u8 x; u8 raw[12]; char name[4]; }; P[100];';
    const { root } = decode(
      text,
      Uint8Array.from({ length: 1700 }, (_, i) => i & 0xff),
      { limits: { nodes: 500 } },
    );
    const raw = root.children?.[0]?.children?.[1];
    expect(raw).toMatchObject({ count: 12, collapsed: true, value: '[1, 2, 3, 4, 5, 6, 7, 8, …]' });
    expect(raw?.children).toBeUndefined();
  });

  it('show the first elements of a large array, and others by path', () => {
    const bytes = Uint8Array.from({ length: 4000 }, (_, i) => i % 256);
    const text = 'u8 head; u8 items[3000];';
    const { root } = decode(text, bytes);
    expect(root.children?.[1]).toMatchObject({ count: 3000, bytes: 3000 });
    expect(root.children?.[1]?.children).toHaveLength(256);
    const page = decode(text, bytes, { path: [1], from: 1000, limits: { children: 3 } }).root;
    expect(page).toMatchObject({ name: 'items', from: 1000, count: 3000, value: '[…, 233, 234, 235, …]' });
    expect(page.children?.map(outline)).toEqual(['[1000]: 233', '[1001]: 234', '[1002]: 235']);
    expect(decode(text, bytes, { path: [1, 2999] }).root).toMatchObject({ name: '[2999]', offset: 3000 });
    expect(decode(text, bytes, { path: [1, 3000] }).root.error).toMatch(/no element/);
    expect(decode(text, bytes, { path: [7] }).root.error).toMatch(/no such field/);
  });

  it('share the nodes, so that what is behind a large array is there', () => {
    const text = 'struct P { f32 x, y, z; }; P grid[256][256]; u32 end;';
    const { root } = decode(text, new Uint8Array(256 * 256 * 12 + 4), { limits: { nodes: 2000 } });
    const count = (node: StructureNode): number => (node.children ?? []).reduce((sum, child) => sum + count(child), 1);
    expect(count(root)).toBeLessThanOrEqual(2000);
    expect(root.children?.at(-1)).toMatchObject({ name: 'end', value: '0' });
    expect(root.children?.[0]?.children).toHaveLength(256);
    const deep = decode(text, new Uint8Array(256 * 256 * 12 + 4), { path: [0, 255, 255] }).root;
    expect(deep.children?.map(({ offset }) => offset)).toEqual([65535 * 12, 65535 * 12 + 4, 65535 * 12 + 8]);
  });

  it('keep lengths that were made up from costing time', () => {
    const start = performance.now();
    const text = 'struct R { u16 n; u8 x[n]; }; u64 count; R records[count]; u8 end;';
    const { root } = decode(text, pack([8, 2n ** 50n], [8, 0]));
    expect(root.error).toMatch(/is not read|Too much/);
    expect(performance.now() - start).toBeLessThan(2000);
    const empty = decode('struct E { }; u64 count; E all[count]; u8 end;', pack([8, 2n ** 52n], [8, 0]));
    expect(values(empty.root).at(-1)).toBe('end: 0');
  });
});

describe('a root that repeats', () => {
  it('takes as many as there is memory for', () => {
    const bytes = Uint8Array.from({ length: 11 }, (_, i) => i);
    expect(outline(decode('struct A { u16 a; u8 b; }; A[];', bytes).root)).toEqual({
      A: [{ '[0]': ['a: 256', 'b: 2'] }, { '[1]': ['a: 1284', 'b: 6'] }],
    });
    expect(decode('u16[] at 1;', bytes, { baseOffset: 0x100 }).root).toMatchObject({ count: 5, offset: 0x101 });
    expect(decode('struct R { u8 n; u8 x[n]; }; R[];', Uint8Array.of(1, 9, 0, 2, 8, 8, 5)).root).toMatchObject({
      count: 3,
    });
    const q4 = formatExamples.find(({ id }) => id === 'q4_0')?.text ?? '';
    expect(decode(q4, new Uint8Array(40)).root).toMatchObject({ count: 2, bytes: 36 });
  });
});

describe('rows of a length out of the memory', () => {
  it('are found without going over those before them', () => {
    const text = 'u32 rows; u32 columns; i32 table[rows][columns]; u32 end;';
    const bytes = pack([4, 1000], [4, 500], ...Array.from({ length: 20 }, () => [4, 0] as const));
    const { root } = decode(text, bytes, { path: [2, 999, 499], available: 3_000_000 });
    expect(root).toMatchObject({ name: '[499]', offset: 8 + (999 * 500 + 499) * 4, state: 'unread' });
    expect(decode(text, bytes).root.children?.at(-1)).toMatchObject({ name: 'end', offset: 8 + 2_000_000 });
  });
});
