import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeIds, elementsInBytes } from '#contract/dtypes';
import { decodeStructure } from '#contract/structure/decode';
import { parseFormat } from '#contract/structure/parse';
import { neutralFormat } from './neutral-format';
import { pieces, problemAfter } from './problems';
import { keyOf, missingParts, parentOf, pathOf, rowsOf, shownValue } from './rows';

function tree(text: string, bytes: Uint8Array, path?: number[], from?: number) {
  const read = parseFormat(text);
  if (!read.ok) throw new Error(read.problems[0]?.message);
  return decodeStructure(bytes, read.format, { available: bytes.length, path, from }).root;
}

const none = { toggled: new Map<string, boolean>(), parts: new Map() };

describe('before anybody has written a format', () => {
  it.each(dtypeIds)('%s memory is shown as its own type, all of it', (dtype) => {
    const root = tree(neutralFormat(dtype), new Uint8Array(64));
    expect(root.count).toBe(elementsInBytes(64, dtype));
    expect(root.children?.[0]?.type).toBe(dtype);
  });
});

describe('rows of a tree', () => {
  const bytes = Uint8Array.from({ length: 4096 }, (_, i) => i);
  const root = tree('struct P { u8 x; u8 y; }; struct R { u32 n; P points[3]; u8 data[1000]; }; R;', bytes);

  it('shows two levels, and long arrays closed', () => {
    expect(rowsOf(root, none).map(({ key, node, level }) => [key, node.name, level])).toEqual([
      ['', root.name, 1],
      ['0', 'n', 2],
      ['1', 'points', 2],
      ['1.0', '[0]', 3],
      ['1.1', '[1]', 3],
      ['1.2', '[2]', 3],
      ['2', 'data', 2],
    ]);
  });

  it('opens and closes, and says which part of a long array is shown', () => {
    const opened = rowsOf(root, {
      ...none,
      toggled: new Map([
        ['1', false],
        ['2', true],
      ]),
    });
    expect(opened).toHaveLength(4 + 256 + 1);
    expect(opened.at(-1)?.page).toEqual({ from: 0, shown: 256, count: 1000 });
    const part = tree('struct P { u8 x; u8 y; }; struct R { u32 n; P points[3]; u8 data[1000]; }; R;', bytes, [2], 900);
    const paged = rowsOf(root, { toggled: new Map([['2', true]]), parts: new Map([['2', part]]) });
    expect(paged.at(-1)?.page).toEqual({ from: 900, shown: 100, count: 1000 });
    expect(paged.find(({ key }) => key === '2.900')?.node.name).toBe('[900]');
    const index = paged.findIndex(({ key }) => key === '2.900');
    expect(paged[parentOf(paged, index) ?? -1]?.key).toBe('2');
    expect(parentOf(paged, 0)).toBeUndefined();
  });

  it('asks for what is open and not given', () => {
    const collapsed = { ...root, children: [{ ...root, children: undefined, collapsed: true }] };
    expect(missingParts(rowsOf(collapsed, { ...none, toggled: new Map([['0', true]]) }))).toEqual(['0']);
  });

  it('has paths as texts, both ways', () => {
    for (const path of [[], [0], [3, 17, 2]]) expect(pathOf(keyOf(path))).toEqual(path);
  });

  it('says what is not there', () => {
    expect(shownValue({ name: 'a', type: 'u8', offset: 0, bytes: 1, value: null, state: 'unread' })).toBe('not read');
    expect(shownValue({ name: 'a', type: 'u8', offset: 0, bytes: 1, value: null, error: 'no length' })).toBe(
      'no length',
    );
  });
});

describe('marks in a text', () => {
  it('cut it without losing a character', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.tuple(fc.nat(40), fc.nat(40))), (text, spans) => {
        const cut = pieces(
          text,
          spans.map(([start, length]) => ({ start, end: start + length })),
        );
        expect(cut.map((piece) => piece.text).join('')).toBe(text);
      }),
    );
    expect(pieces('struct { x }', [{ start: 9, end: 10 }])).toEqual([
      { start: 0, text: 'struct { ', wrong: false },
      { start: 9, text: 'x', wrong: true },
      { start: 10, text: ' }', wrong: false },
    ]);
    // At the end of the text there is nothing to mark: its last character is.
    expect(pieces('ab', [{ start: 2, end: 2 }]).at(-1)).toEqual({ start: 1, text: 'b', wrong: true });
  });

  it('lead from one to the next', () => {
    const problems = [{ start: 3 }, { start: 9 }];
    expect([problemAfter(problems, 0), problemAfter(problems, 3), problemAfter(problems, 9)]).toEqual([0, 1, 0]);
    expect(problemAfter([], 0)).toBe(-1);
  });
});
