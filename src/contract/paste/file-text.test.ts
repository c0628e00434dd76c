import { describe, expect, it } from 'vitest';
import { fileText, MAX_FILE, tooLarge } from './file-text';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('a file as a text', () => {
  it('is UTF-8, without the mark that some editors put first', () => {
    expect(fileText(utf8('{ "label": "gewichte ä" }\n'))).toEqual({ ok: true, text: '{ "label": "gewichte ä" }\n' });
    expect(fileText(utf8('\ufeffhex'))).toEqual({ ok: true, text: 'hex' });
    expect(fileText(new Uint8Array())).toEqual({ ok: true, text: '' });
  });
  it('of 64 bytes is the handle itself', () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, index) => index);
    expect(fileText(bytes)).toEqual({ ok: true, text: Buffer.from(bytes).toString('hex') });
  });
  it('is refused when it is no text', () => {
    for (const bytes of [new Uint8Array(63), new Uint8Array(65), Uint8Array.from(Buffer.from('hex', 'utf16le'))]) {
      expect(fileText(bytes)).toMatchObject({ ok: false, problem: expect.stringContaining('no text') });
    }
  });
  it('is refused when it is larger than what may be pasted, by its size alone', () => {
    expect(tooLarge(MAX_FILE)).toBeUndefined();
    expect(tooLarge(MAX_FILE + 1)).toMatchObject({
      problem: 'It has 1,048,577 bytes; at most 1.00 MiB are read as a text.',
    });
    expect(fileText(new Uint8Array(MAX_FILE).fill(0x61)).ok).toBe(true);
    expect(fileText(new Uint8Array(MAX_FILE + 1).fill(0x61)).ok).toBe(false);
  });
});
