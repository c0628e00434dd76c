import { describe, expect, it } from 'vitest';
import { pastedBytes } from './paste';

describe('pasting', () => {
  it('takes hexadecimal in the hex column, and nothing else', () => {
    expect(pastedBytes('0x41, 0xff', 'hex')).toEqual(Uint8Array.of(0x41, 0xff));
    expect(pastedBytes('hello', 'hex')).toBeUndefined();
    expect(pastedBytes('41'.repeat(70_000), 'hex')).toHaveLength(64 * 1024);
  });
  it('takes the text itself in the text column', () => {
    expect([...(pastedBytes('41é', 'text') ?? [])]).toEqual([0x34, 0x31, 0xc3, 0xa9]);
  });
});
