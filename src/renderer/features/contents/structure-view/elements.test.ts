import { describe, expect, it } from 'vitest';
import { decodeStructure } from '#contract/structure/decode';
import { parseFormat } from '#contract/structure/parse';
import { cellOf, columnsOf, elementOfByte, tableArray } from './elements';

const bytes = Uint8Array.from({ length: 1024 }, (_, i) => i & 0xff);

function decoded(text: string, options: Parameters<typeof decodeStructure>[2] = {}) {
  const reading = parseFormat(text);
  if (!reading.ok) throw new Error(reading.problems[0]?.message);
  return decodeStructure(bytes, reading.format, options).root;
}

const none = new Map();

describe('an array as a table', () => {
  it('has a column for each value, named as in C', () => {
    const root = decoded(`struct P { u8 x, y; };
      struct V { P at [[color("blue")]]; u8 kind [[color("red")]]; P corners[2]; u16 flags : { a : 1; b : 2; }; u8 raw[3]; char name[4]; };
      V[8];`);
    const array = tableArray(root, none, '');
    expect(array?.key).toBe('');
    const elements = array?.node.children ?? [];
    const columns = columnsOf(elements);
    expect(columns.map(({ name }) => name)).toEqual([
      'at.x',
      'at.y',
      'kind',
      'corners[0].x',
      'corners[0].y',
      'corners[1].x',
      'corners[1].y',
      'flags',
      'raw',
      'name',
    ]);
    expect(columns[1]?.color).toBe('blue');
    expect(columns[2]).toMatchObject({ color: 'red', type: 'u8' });
    const [, second] = elements;
    if (second === undefined) throw new Error('there is no second element');
    const size = elements[1]?.offset ?? 0;
    expect(columns.slice(0, 3).map((column) => cellOf(second, column)?.value)).toEqual(
      [size, size + 1, size + 2].map(String),
    );
  });

  it('is found around the chosen row, or as the first of structs', () => {
    const root = decoded(`struct P { u8 x, y; };
      struct Q { u8 n; u8 raw[4]; P points[3]; P others[2]; };
      Q;`);
    expect(tableArray(root, none, '')?.key).toBe('2');
    expect(tableArray(root, none, '3.1.0')?.key).toBe('3');
    // Numbers: the structs come first.
    expect(tableArray(root, none, '1.2')?.key).toBe('2');
    const numbers = decoded('struct N { u8 n; u16 raw[4]; }; N;');
    expect(tableArray(numbers, none, '')?.key).toBe('1');
    expect(columnsOf(tableArray(numbers, none, '')?.node.children ?? []).map(({ name }) => name)).toEqual(['Value']);
    expect(tableArray(decoded('struct N { u8 n; }; N;'), none, '')).toBeUndefined();
  });

  it('knows elements further on by their index', () => {
    const root = decoded('struct P { u8 x, y; }; P[500];', { from: 300, limits: { children: 10 } });
    const columns = columnsOf(root.children ?? []);
    const first = root.children?.[0];
    if (first === undefined || columns[1] === undefined) throw new Error('there is nothing');
    expect(root.from).toBe(300);
    expect([0, 1, 2, 999, 1000].map((byte) => elementOfByte(root, byte))).toEqual([0, 0, 1, 499, undefined]);
    expect(cellOf(first, columns[1])).toMatchObject({ offset: 601, value: String(601 & 0xff) });
  });
});
