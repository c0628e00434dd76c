import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HandleForm, handleForms, parseHandle, printHandle } from './handle-text';

const tokens = (
  JSON.parse(readFileSync(new URL('./testing/handle-tokens.json', import.meta.url), 'utf8')) as {
    tokens: { source: string; text: string }[];
  }
).tokens;
const token = (index: number): string => (tokens[index] as { text: string }).text;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const handles = fc.uint8Array({ minLength: 64, maxLength: 64 });
/** Bytes that make every form hard: quotes, backslashes, digits after escapes. */
const nastyHandles = fc.array(fc.constantFrom(0, 0x22, 0x27, 0x5c, 0x30, 0x61, 0x7f, 0x80, 0xff, 0x0a, 0x78), {
  minLength: 64,
  maxLength: 64,
});
const forms = fc.constantFrom(...handleForms);

function read(text: string): { hex: string; form: HandleForm } {
  const reading = parseHandle(text);
  if (!reading.ok) throw new Error(`${reading.problem} at ${reading.position} (${reading.form})`);
  return { hex: hex(reading.handle), form: reading.form };
}

describe('tokens of real libraries', () => {
  const memory = token(0);

  it('reads CuPy hex, base64 and the Python repr as the same bytes', () => {
    expect(read(token(0))).toEqual({ hex: memory, form: 'hex' });
    expect(read(token(1))).toEqual({ hex: memory, form: 'base64' });
    expect(read(token(2))).toEqual({ hex: memory, form: 'python-bytes' });
  });

  it('reads base64 and hex that Python answered as bytes', () => {
    for (const form of ['base64', 'hex'] as const) {
      const text = printHandle(Buffer.from(memory, 'hex'), form);
      expect(read(`b'${text}'`)).toEqual({ hex: memory, form });
      expect(parseHandle(`b'${text}'`)).toMatchObject({ inPythonBytes: true });
      expect(parseHandle(text)).not.toHaveProperty('inPythonBytes');
      expect(parseHandle(`b'${text.slice(4)}'`)).toMatchObject({
        ok: false,
        problem: expect.stringContaining('64 bytes'),
      });
    }
  });

  it('reads a CuPy event handle', () => {
    expect(read(token(4))).toEqual({ hex: token(4), form: 'hex' });
  });

  it("takes PyTorch's two bytes off its handles, and says so", () => {
    const quoted = /'(0263[0-9a-f]{128})'/.exec(token(3))?.[1] as string;
    const reading = parseHandle(quoted);
    expect(reading).toMatchObject({ ok: true, prefix: 'PyTorch' });
    expect(read(quoted).hex).toBe(quoted.slice(4));
  });

  it('prints the Python repr exactly as Python does', () => {
    expect(printHandle(Buffer.from(memory, 'hex'), 'python-bytes')).toBe(token(2));
  });
});

describe('forms', () => {
  const memory = token(0);
  const bytes = Buffer.from(memory, 'hex');
  const pairs = memory.match(/../g) as string[];

  it.each([
    ['0x before', `0x${memory}`, 'hex'],
    ['upper case', memory.toUpperCase(), 'hex'],
    ['pairs with spaces', pairs.join(' '), 'hex'],
    ['a prefix for each byte', pairs.map((pair) => `0x${pair}`).join(' '), 'hex'],
    ['pairs with colons', pairs.join(':'), 'hex'],
    ['rows of 16', (memory.match(/.{32}/g) as string[]).join('\r\n'), 'hex'],
    ['quoted', `"${memory}";`, 'hex'],
    ['escapes', pairs.map((pair) => `\\x${pair}`).join(''), 'hex'],
    [
      'a C string in two pieces',
      `"${pairs
        .slice(0, 32)
        .map((p) => `\\x${p}`)
        .join('')}"\n"${pairs
        .slice(32)
        .map((p) => `\\x${p}`)
        .join('')}";`,
      'hex',
    ],
    ['bytes.fromhex', `bytes.fromhex('${pairs.join(' ')}')`, 'hex'],
    ['base64 without padding', bytes.toString('base64').replace(/=+$/, ''), 'base64'],
    ['base64 for addresses', bytes.toString('base64url'), 'base64'],
    ['base64 in lines', bytes.toString('base64').replace(/.{76}/, '$&\n'), 'base64'],
    ['a bytearray', `bytearray(${token(2)})`, 'python-bytes'],
    ['joined literals', token(2).replace('\\x00M', "\\x00' b'M"), 'python-bytes'],
    ['a list', `[${[...bytes].join(',')}]`, 'json-array'],
    ['bytes of a list', `bytes([${[...bytes].join(', ')}])`, 'json-array'],
    ['a bare list', [...bytes].join(', '), 'c-array'],
    ['signed chars', `{${[...new Int8Array(bytes)].join(', ')},}`, 'c-array'],
    ['C without spaces', `char h[]={${pairs.map((pair) => `0x${pair}`).join(',')}};`, 'c-array'],
    ['C#', `new byte[] { ${pairs.map((pair) => `0x${pair.toUpperCase()}`).join(', ')} }`, 'csharp-array'],
  ])('reads %s', (_name, text, form) => {
    expect(read(text)).toEqual({ hex: memory, form });
  });

  it.each<[string, string, RegExp, number]>([
    ['nothing', '  \n ', /no text/, 0],
    ['words', 'ask the producer', /neither/, 0],
    ['63 bytes', memory.slice(2), /holds 63/, 126],
    ['65 bytes', `${memory}00`, /holds 65/, 130],
    ['half a byte', memory.slice(1), /one is missing/, 127],
    ['a wrong digit', `${memory.slice(0, 40)}g${memory.slice(41)}`, /“g” is not a hexadecimal digit/, 40],
    ['a hex text as short as unpadded base64', memory.slice(0, 86), /holds 43/, 86],
    [
      'a plain character between escapes',
      pairs
        .map((pair) => `\\x${pair}`)
        .join('')
        .replace('\\x4d', 'M'),
      /“M” stands between/,
      32,
    ],
    ['an open Python literal', token(2).slice(0, -1), /closing ' is missing/, token(2).length - 1],
    ['text after Python bytes', `${token(2)}, 4096`, /“4” follows/, token(2).length + 2],
    ['a number above a byte', `[${[256, ...bytes.subarray(1)].join(',')}]`, /256 does not fit/, 1],
    ['a number that could be octal', `{010, ${[...bytes.subarray(1)].join(',')}}`, /octal/, 1],
    ['bare hex in an array', `{d0, ${[...bytes.subarray(1)].join(',')}}`, /0xd0/, 1],
    ['a missing comma', `[1 2]`, /comma is missing/, 3],
    ['an open array', `{1, 2`, /closing } is missing/, 5],
    ['base64 bits of no byte', `${bytes.toString('base64').slice(0, 85)}B==`, /bits of no byte/, 85],
    ['two base64 alphabets', `${bytes.toString('base64').slice(0, 80)}+_`, /mixes/, 81],
  ])('says what is wrong with %s, and where', (_name, text, problem, position) => {
    const reading = parseHandle(text);
    expect(reading.ok).toBe(false);
    if (reading.ok) return;
    expect(reading.problem).toMatch(problem);
    expect(reading.position).toBe(position);
  });
});

describe('properties', () => {
  it('reads back everything it prints, as the same form', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          handles,
          nastyHandles.map((list) => Uint8Array.from(list)),
        ),
        forms,
        (handle, form) => {
          expect(read(printHandle(handle, form))).toEqual({ hex: hex(handle), form });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses every other number of bytes', () => {
    const lengths = fc.uint8Array({ maxLength: 140 }).filter((bytes) => bytes.length !== 64 && bytes.length !== 66);
    fc.assert(
      fc.property(lengths, forms, (bytes, form) => {
        expect(parseHandle(printHandle(bytes, form)).ok).toBe(false);
      }),
    );
  });

  it('reads a changed text exactly as it stands, or refuses it', () => {
    fc.assert(
      fc.property(
        handles,
        forms,
        fc.nat(),
        fc.string({ minLength: 0, maxLength: 3 }),
        fc.nat({ max: 3 }),
        (handle, form, where, insert, cut) => {
          const printed = printHandle(handle, form);
          const at = where % (printed.length + 1);
          const text = printed.slice(0, at) + insert + printed.slice(at + cut);
          const reading = parseHandle(text);
          if (reading.ok) expect(hex(reading.handle)).toBe(independently(text, reading.form));
          else expect(reading.position).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('refuses a text that is far too long at once', () => {
    const began = performance.now();
    for (const text of [
      'ab'.repeat(5e6),
      'many short words '.repeat(6e5),
      `{${'1,'.repeat(5e6)}}`,
      `b'${'x'.repeat(1e7)}'`,
    ]) {
      const reading = parseHandle(text);
      expect(reading.ok ? '' : reading.problem).toMatch(/^This text is too long for a handle/);
    }
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('never throws and never leaves the text', () => {
    const any = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.string({ maxLength: 300, unit: 'binary' }),
      fc.stringMatching(/^[\\x0-9a-fb'"{}[\],= ]{0,300}$/),
    );
    fc.assert(
      fc.property(any, (text) => {
        const reading = parseHandle(text);
        if (!reading.ok) expect(reading.position).toBeGreaterThanOrEqual(0);
        if (!reading.ok) expect(reading.position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 3000 },
    );
  });
});

/** The bytes that a text of a known form holds, by other means than the reader's: Node's decoders and eval-free regexes. */
function independently(text: string, form: HandleForm): string {
  switch (form) {
    case 'hex':
      return text.replace(/0[xX](?=[0-9a-fA-F]{2})|[^0-9a-fA-F]/g, '').toLowerCase();
    case 'base64':
      return Buffer.from(text.replace(/[^A-Za-z0-9+/_-]/g, ''), 'base64').toString('hex');
    case 'json-array':
    case 'c-array':
    case 'csharp-array': {
      const list = (form === 'json-array' ? /\[([^\]]*)\]/ : /\{([^}]*)\}/).exec(text)?.[1] ?? text;
      return Buffer.from(
        list
          .split(',')
          .map((word) => word.trim())
          .filter((word) => word !== '')
          .map(Number),
      ).toString('hex');
    }
    case 'python-bytes': {
      const inner = text
        .trim()
        .replace(/[\s,;]+$/, '')
        .slice(2, -1);
      const json = inner.replace(/\\x([0-9a-fA-F]{2})|\\([0-7]{1,3})|\\([abfnrtv'"\\])|[\s\S]/g, (all, h, o, e) =>
        String.fromCharCode(
          h
            ? Number.parseInt(h, 16)
            : o
              ? Number.parseInt(o, 8)
              : e
                ? ('\x07\b\f\n\r\t\v\'"\\'['abfnrtv\'"\\'.indexOf(e)] as string).charCodeAt(0)
                : all.charCodeAt(0),
        ),
      );
      return Buffer.from(json, 'latin1').toString('hex');
    }
  }
}
