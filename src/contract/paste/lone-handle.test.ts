import { describe, expect, it } from 'vitest';
import { readLoneHandle } from './lone-handle';

const bytes = Uint8Array.from({ length: 64 }, (_, index) => 200 - index);
const hex = Buffer.from(bytes).toString('hex');
const array = `{ ${[...bytes].join(', ')} }`;

describe('a text where one handle is due', () => {
  it.each([
    ['hex', hex],
    ['base64 as Python bytes', `b'${Buffer.from(bytes).toString('base64')}'`],
    ['words around it', `the producer says: ${hex}\n`],
    ['an array after its declaration', `const unsigned char handle[64] = ${array};`],
  ])('%s', (_name, text) => {
    expect(readLoneHandle(text)).toEqual({ ok: true, handle: bytes });
  });

  it.each([
    ['nothing', 'nothing of the kind', 'no handle'],
    ['a handle before an array that is another', `${hex} = ${array}`, '2 handles'],
    ['one that is cut off', hex.slice(2), '64 bytes'],
    // Opened at the beginning of the allocation, this would show other bytes than the text means.
    ['an offset beside it', `handle=${hex} offset=4096`, 'handles.parse'],
    [
      'what has no handle',
      `b'\\x02e\\x18\\x11\\0\\0\\0\\0\\0\\0\\0\\0\\x20\\0\\0\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0000\\0\\0\\0'`,
      'handles.parse',
    ],
  ])('not %s', (_name, text, says) => {
    expect(readLoneHandle(text)).toEqual({ ok: false, problem: expect.stringContaining(says) });
  });
});
