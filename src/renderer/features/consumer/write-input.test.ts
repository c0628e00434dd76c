import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBytes, parseWrite } from './write-input';

describe('parseBytes', () => {
  const bytes = (text: string, form: 'hex' | 'text') => {
    const parsed = parseBytes(text, form);
    return parsed.ok ? [...parsed.value] : parsed.why;
  };

  it('takes hexadecimal', () => {
    expect(bytes('0x21 21', 'hex')).toEqual([0x21, 0x21]);
  });

  it('takes text as UTF-8, with every blank', () => {
    expect(bytes('a€', 'text')).toEqual([0x61, 0xe2, 0x82, 0xac]);
    expect(bytes(' 21', 'text')).toEqual([0x20, 0x32, 0x31]);
  });

  it('explains what is wrong', () => {
    expect(bytes('xyz', 'hex')).toMatch(/“x” is not a hex digit/);
    expect(bytes('', 'text')).toMatch(/Type the text/);
  });
});

describe('parseWrite', () => {
  const view = { length: 64, address: '0x7f0000' };

  it('gives offset and bytes', () => {
    expect(parseWrite({ at: '0x1b', bytes: '21 21', form: 'hex' }, view)).toEqual({
      ok: true,
      value: { offset: 27, bytes: Uint8Array.of(0x21, 0x21) },
    });
  });

  it('takes expressions and addresses inside the view', () => {
    expect(parseWrite({ at: '0x10 + 4*3', bytes: 'a', form: 'text' }, view)).toMatchObject({ value: { offset: 28 } });
    expect(parseWrite({ at: '0x7f0004', bytes: 'a', form: 'text' }, view)).toMatchObject({ value: { offset: 4 } });
  });

  it('refuses what would run past the end', () => {
    expect(parseWrite({ at: '62', bytes: '1 2 3', form: 'hex' }, view)).toEqual({
      ok: false,
      why: '1 byte too many: the last byte is at 0x3f.',
    });
    const two = parseWrite({ at: 'end', bytes: 'abc', form: 'text' }, view);
    expect(two.ok ? '' : two.why).toMatch(/^2 bytes too many/);
  });

  it('never answers bytes outside the view', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 12 }),
        fc.string({ maxLength: 40 }),
        fc.constantFrom('hex', 'text'),
        (at, bytes, form) => {
          const parsed = parseWrite({ at, bytes, form: form as 'hex' | 'text' }, view);
          if (parsed.ok) {
            expect(parsed.value.offset).toBeGreaterThanOrEqual(0);
            expect(parsed.value.offset + parsed.value.bytes.length).toBeLessThanOrEqual(view.length);
          }
        },
      ),
    );
  });
});
