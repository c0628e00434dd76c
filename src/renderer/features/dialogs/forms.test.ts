import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../lib/groups';
import { shared } from '../../lib/testing/records';
import { consequence } from './consequence';
import { readSize } from './size-form';
import { readOffset, readText } from './write-form';

describe('a size', () => {
  it.each([
    ['4', 'MiB', { bytes: 4 * 2 ** 20 }],
    ['1.5', 'KiB', { bytes: 1536 }],
    ['512 KiB', 'GiB', { bytes: 512 * 1024 }],
    ['4,096', 'B', { bytes: 4096 }],
  ] as const)('%s with %s chosen', (amount, unit, expected) =>
    expect(readSize(amount, unit, 2 ** 40)).toEqual(expected),
  );
  it.each(['', 'four', '0', '-1', '9 GiB'])('“%s” is a problem on a device of 8 GiB', (amount) => {
    expect(readSize(amount, 'MiB', 8 * 2 ** 30)).toHaveProperty('problem');
  });
});

describe('bytes to write', () => {
  it('are text as UTF-8', () => {
    expect(readText('é')).toEqual({ ok: true, bytes: Uint8Array.of(0xc3, 0xa9) });
    expect(readText('')).toMatchObject({ ok: false });
  });
  it('end inside the memory', () => {
    expect(readOffset('0x40', 4, 68)).toEqual({ offset: 64 });
    expect(readOffset('', 4, 68)).toEqual({ offset: 0 });
    expect(readOffset('65', 4, 68)).toHaveProperty('problem');
    expect(readOffset('4194304', 1, 4194304)).toEqual({ problem: 'The last byte is at 4,194,303.' });
    for (const text of ['-1', '1.5', 'x']) expect(readOffset(text, 1, 68)).toHaveProperty('problem');
  });
});

describe('the question before freeing', () => {
  const ledger = shared();
  const of = (id: string) => {
    const group = groupsOf(ledger).byId.get(id);
    return group === undefined ? '' : consequence(group, ledger.peers);
  };
  it('names who holds it', () => {
    expect(of('p2.a1')).toBe(
      'Consumer 1 and Inspector hold 3 references. They keep the bytes until they close. The handle does not open them again, but may open newer memory of the same process.',
    );
    expect(of('p2.e1')).toBe(
      'Consumer 1 holds 1 reference. It keeps the event until it closes, but your next event may get its place, also for it.',
    );
    expect(of('p1.a1')).toBe('Nobody else can have it open: it was never exported. Its bytes are lost.');
  });
});
