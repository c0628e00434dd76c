import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeStructure } from './decode';
import { formatExamples } from './examples';
import { layoutOf, neededBytes } from './layout';
import { parseFormat } from './parse';
import type { Format } from './types';

function format(text: string): Format {
  const reading = parseFormat(text);
  if (!reading.ok)
    throw new Error(reading.problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n'));
  return reading.format;
}

/** `name@offset+bytes` of the root's fields. */
const places = (text: string): string[] =>
  layoutOf(format(text)).fields.map(({ name, offset, bytes, bits }) =>
    bits === undefined ? `${name}@${offset}+${bytes}` : `${name}@${offset}.${bits.start}:${bits.width}`,
  );

describe('layout', () => {
  // Offsets and sizes as offsetof and sizeof of GCC 12 give them on x86-64.
  it.each<[string, string, string[], number]>([
    [
      'natural alignment',
      'struct A { char a; int b; char c; double d; short e; };',
      ['a@0+1', 'b@4+4', 'c@8+1', 'd@16+8', 'e@24+2'],
      32,
    ],
    ['packed', 'struct __attribute__((packed)) A { char a; int b; short c; };', ['a@0+1', 'b@1+4', 'c@5+2'], 7],
    ['arrays', 'struct A { char a[3]; float b[2][3]; char c; };', ['a@0+3', 'b@4+24', 'c@28+1'], 32],
    ['nested', 'struct A { char a; double b; }; struct B { char x; A y; char z; };', ['x@0+1', 'y@8+16', 'z@24+1'], 32],
    [
      'bit fields',
      'struct A { unsigned a : 3; unsigned b : 30; unsigned c : 2; };',
      ['a@0.0:3', 'b@4.0:30', 'c@7.6:2'],
      8,
    ],
    [
      'bit fields share a unit',
      'struct A { unsigned a : 3; unsigned b : 5; unsigned c : 24; };',
      ['a@0.0:3', 'b@0.3:5', 'c@1.0:24'],
      4,
    ],
    ['a bit field behind a char', 'struct A { char a; int b : 4; char c; };', ['a@0+1', 'b@1.0:4', 'c@2+1'], 4],
    ['bits to the next unit', 'struct A { unsigned a : 3; unsigned : 0; unsigned b : 3; };', ['a@0.0:3', 'b@4.0:3'], 8],
    [
      'packed bit fields',
      'struct __attribute__((packed)) A { unsigned a : 3; unsigned b : 30; };',
      ['a@0.0:3', 'b@0.3:30'],
      5,
    ],
    ['a union', 'union A { char a; double b; int c[3]; };', ['a@0+1', 'b@0+8', 'c@0+12'], 16],
    [
      'pointers',
      'struct A { char a; struct A *next; void *data; const char *text; };',
      ['a@0+1', 'next@8+8', 'data@16+8', 'text@24+8'],
      32,
    ],
    ['aligned', 'struct A { char a; alignas(16) char b; };', ['a@0+1', 'b@16+1'], 32],
    [
      'vectors of CUDA',
      'struct A { float a; float4 b; float3 c; half2 d; };',
      ['a@0+4', 'b@16+16', 'c@32+12', 'd@44+4'],
      48,
    ],
    [
      'words of C',
      'struct A { unsigned char a; long long b; unsigned short int c; long d; size_t e; };',
      ['a@0+1', 'b@8+8', 'c@16+2', 'd@24+8', 'e@32+8'],
      40,
    ],
    ['typedef', 'typedef struct { int a; char b; } P; struct A { P p[2]; char c; };', ['p@0+16', 'c@16+1'], 20],
    ['an anonymous union', 'struct A { int a; union { float f; int i; }; char c; };', ['a@0+4', '@4+4', 'c@8+1'], 12],
  ])('%s', (_, text, fields, size) => {
    expect(places(text)).toEqual(fields);
    expect(layoutOf(format(text)).size).toBe(size);
  });

  it('adds what C has not: padding, places, packed numbers', () => {
    expect(places('u8 a; padding[3]; u8 b; u32 c @ 0x10; u8 d;')).toEqual(['a@0+1', 'b@4+1', 'c@16+4', 'd@20+1']);
    expect(places('u4 a[3]; i4 b[4][2]; u8 c;')).toEqual(['a@0+2', 'b@2+4', 'c@6+1']);
    expect(places('f8e4m3 a; bf16 b; c64 c; c128 d;')).toEqual(['a@0+1', 'b@2+2', 'c@4+8', 'd@16+16']);
  });

  it('leaves open what only the memory says', () => {
    const text = 'u8 count; u32 items[count * 2]; u16 end;';
    expect(places(text)).toEqual(['count@0+1', 'items@4+null', 'end@null+2']);
    expect(layoutOf(format(text)).size).toBeNull();
    expect(neededBytes(format(text))).toEqual({ bytes: 4, exact: false });
    expect(neededBytes(format('struct A { u32 x[4]; }; A at 0x20;'))).toEqual({ bytes: 48, exact: true });
    expect(neededBytes(format('struct A { u32 x[4]; }; A[];'))).toEqual({ bytes: 16, exact: false });
  });
});

describe('the root', () => {
  it('is the last struct, what is named, or the fields themselves', () => {
    expect(format('struct A { u8 a; }; struct B { u8 b; };').rootName).toBe('B');
    expect(format('struct A { u8 a; }; struct B { u8 b; }; A;').rootName).toBe('A');
    expect(format('struct A { u8 a; }; A at 0x40 + 2;')).toMatchObject({ rootOffset: 66, repeated: false });
    expect(format('struct A { u8 a; }; A[];')).toMatchObject({ repeated: true });
    expect(format('struct A { u8 a; }; A[10 * 10] at 8;').root).toMatchObject({ kind: 'array', size: 100 });
    expect(format('f32[];')).toMatchObject({ repeated: true, root: { kind: 'element' } });
    expect(format('u32 a; f32 b').root).toMatchObject({ kind: 'struct', size: 8 });
  });
});

describe('problems', () => {
  it.each<[string, RegExp, string]>([
    ['struct A { u32 x }; struct B { u8 y; };', /“;” after the field.*“}”/, '}'],
    ['struct A { Later x; }; struct Later { u8 y; };', /only further down/, 'Later'],
    ['struct A { A x; };', /cannot hold itself/, 'A'],
    ['struct A { f33 x; };', /no type “f33”/, 'f33'],
    ['u32 a; u8 a;', /already/, 'a'],
    ['f32 x[-1];', /negative/, '-1'],
    ['f32 x[n]; u32 n;', /no number “n” here/, 'n'],
    ['u32 x : 33;', /has 32 bits/, 'x : 33'],
    ['f32 x : 3;', /whole-number types/, 'x :'],
    ['u8 f : { a : 5; b : 4; };', /3 bits are left/, 'b : 4'],
    ['enum E : u8 { A = 256 };', /does not fit/, 'A = 256'],
    ['u32 x [[blue]];', /no attribute/, 'blue'],
    ['u32 x [[color("mauve")]];', /A colour is/, 'color("mauve")'],
    ['f32 x[1 << 60];', /2\^53/, '1 << 60'],
    ['f32 x[1 / 0];', /divided by zero/, '/ 0'],
    ['u4 x;', /half a byte/, 'x'],
    ['u32 x; struct B { u8 y; }; B;', /root already/, 'x'],
    ['/* no end', /no end/, '/*'],
    ['char a["4"];', /Expected a number, found a text/, '"4"'],
    ['#pragma pack(1)\nu8 a;', /\[\[packed\]\]/, '#pragma'],
    ['struct A { u8 x[]; };', /needs a length/, '[]'],
  ])('in %s', (text, message, at) => {
    const reading = parseFormat(text);
    expect(reading.ok ? [] : reading.problems.map((problem) => problem.message)).toEqual([
      expect.stringMatching(message),
    ]);
    const [problem] = reading.ok ? [] : reading.problems;
    expect(text.slice(problem?.start, problem?.end)).toBe(at);
  });

  it('says several at once, each at its line', () => {
    const reading = parseFormat('struct A {\n  f33 x;\n  u32 y\n  u8 z;\n};\nstruct B {\n  u8 q[-1];\n};');
    expect(reading.ok ? [] : reading.problems.map(({ line, column }) => [line, column])).toEqual([
      [2, 3],
      [4, 3],
      [7, 8],
    ]);
    expect(parseFormat('')).toMatchObject({ ok: false, problems: [{ line: 1, column: 1 }] });
    expect(parseFormat('x'.repeat(70_000)).ok).toBe(false);
  });
});

const PIECES = [
  ...['struct', 'union', 'enum', 'typedef', 'using', 'const', 'at', 'padding', 'sizeof', 'A', 'B', 'n', 'x'],
  ...[
    'u8',
    'u32',
    'f16',
    'u4',
    'char',
    'unsigned',
    'long',
    'bool',
    'float4',
    'void',
    '[[hex]]',
    '[[packed]]',
    '[[big]]',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    ';',
    ',',
    ':',
    '::',
    '=',
    '*',
    '-',
    '+',
    '/',
    '%',
    '<<',
    '@',
    '~',
    '.',
    '"',
    "'",
    '\n',
  ],
  ...[
    '0',
    '1',
    '3',
    '8',
    '0xff',
    '4096',
    '18446744073709551615',
    '/*',
    '*/',
    '//',
    '#define',
    '#',
    'é',
    '💡',
    '"text"',
  ],
];

/** A text near the language: an example with pieces left out, doubled or put in. */
const mutated = fc
  .record({
    base: fc.constantFrom(...formatExamples.map(({ text }) => text), 'u8 n; u32 x[n]; struct { u4 q[n]; } y[n][2]; '),
    cuts: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 30 }), fc.array(fc.constantFrom(...PIECES), { maxLength: 3 })), {
      maxLength: 6,
    }),
  })
  .map(({ base, cuts }) =>
    cuts.reduce((text, [at, length, put]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + put.join(' ') + text.slice(start + length);
    }, base),
  );
const texts = fc.oneof(
  mutated,
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(' ')),
  fc.string({ maxLength: 80 }),
);

const paths = fc.array(fc.nat({ max: 4 }), { maxLength: 4 });

describe('any text', () => {
  it('gives a format or problems inside the text, and the format can be laid over any bytes', () => {
    const runs = Number(process.env.FORMAT_RUNS ?? 3000);
    fc.assert(
      fc.property(texts, fc.uint8Array({ maxLength: 200 }), paths, fc.nat(), (text, bytes, path, from) => {
        const reading = parseFormat(text);
        if (reading.ok) {
          layoutOf(reading.format);
          neededBytes(reading.format);
          decodeStructure(bytes, reading.format);
          decodeStructure(bytes, reading.format, { available: bytes.length, limits: { nodes: 50 }, path, from });
          return;
        }
        expect(reading.problems.length).toBeGreaterThan(0);
        const lines = text.split('\n');
        for (const { start, end, line, column, message } of reading.problems) {
          expect(message).not.toBe('');
          expect(start).toBeLessThanOrEqual(end);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1).toBe(start);
        }
      }),
      { numRuns: runs },
    );
  });

  it.each<[string, string]>([
    ['nested brackets', `u8 x[${'('.repeat(30_000)}`],
    ['nested structs', 'struct { '.repeat(7000)],
    ['a long sum', `u8 n; u8 x[n${' + 1'.repeat(15_000)}];`],
    ['open comments', '/*'.repeat(32_000)],
    ['open quotes', '"'.repeat(65_000)],
    ['unknown types', 'f33 x; '.repeat(9000)],
    [
      'many fields',
      Array.from({ length: 9000 }, (_, i) => `u8 f${i};`)
        .join('')
        .slice(0, 65_000),
    ],
    ['many minus signs', `u8 x[${'-'.repeat(60_000)}1];`],
    ['stars', `u8 ${'*'.repeat(60_000)}x;`],
    [
      'doubling structs',
      Array.from({ length: 60 }, (_, i) => `struct S${i} { ${i === 0 ? 'u8 a, b;' : `S${i - 1} a, b;`} };`).join('\n'),
    ],
    [
      'doubling arrays',
      `${Array.from({ length: 60 }, (_, i) => `using T${i} = ${i === 0 ? 'u8' : `T${i - 1}`}[2];`).join('\n')} T59 x;`,
    ],
  ])('is read quickly: %s', (_, text) => {
    const start = performance.now();
    const reading = parseFormat(text);
    if (reading.ok) decodeStructure(new Uint8Array(100_000), reading.format);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('the examples', () => {
  it.each(formatExamples)('$title is read', ({ text }) => {
    const reading = parseFormat(text);
    expect(reading.ok ? [] : reading.problems).toEqual([]);
  });
});

describe('the description of the language', () => {
  it('holds only what the language understands', () => {
    const document = readFileSync(join(import.meta.dirname, '../../../docs/structure-format.md'), 'utf8');
    const blocks = [...document.matchAll(/```c\n([\s\S]*?)```/g)].map((found) => found[1] as string);
    expect(blocks).toHaveLength(2);
    const [first = '', fields = ''] = blocks;
    format(first);
    format(`${first.slice(0, first.indexOf('struct'))} ${fields}`);
    const words = document
      .split('## Fields')[0]
      ?.split('## Types')[1]
      ?.matchAll(/`([^`]+)`/g);
    const types = [...(words ?? [])]
      .map((found) => found[1] as string)
      .filter((word) => /^[a-z_]\w*( \w+)*$/i.test(word));
    expect(types.length).toBeGreaterThan(50);
    for (const type of types) format(`${type} x[2];`);
  });
});
