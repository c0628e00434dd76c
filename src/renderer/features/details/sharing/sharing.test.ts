import { describe, expect, it } from 'vitest';
import type { Trial } from '#contract/calls/sharing';
import { readAddress } from './address';
import { stepTime, trialText } from './trial-words';

describe('an address', () => {
  it.each([
    ['0x7f00', '0x7f00'],
    ['7F00', '0x7f00'],
    [' 0x0000_7f41_a800_0000 ', '0x7f41a8000000'],
    ['0', '0x0'],
  ])('%s is read', (text, address) => {
    expect(readAddress(text)).toEqual({ address });
  });
  it.each(['', '0x', '0xgg', '11112222333344445'])('%s is refused', (text) => {
    expect(readAddress(text)).toHaveProperty('problem');
  });
});

describe('a trial', () => {
  const trial = (change: Partial<Trial>): Trial => ({
    mechanism: 'legacy',
    worked: true,
    steps: [],
    exporterChecksum: 'ab',
    importerChecksum: 'ab',
    comparedBytes: 4096,
    ofBytes: 4096,
    tookMs: 12,
    ...change,
  });
  it('says how much was compared, and what could not be', () => {
    expect(trialText(trial({}))).toBe('It works: all 4.00 KiB compared, the same on both sides.');
    expect(trialText(trial({ ofBytes: 8192 }))).toBe(
      'It works: 4.00 KiB of 8.00 KiB compared, the same on both sides.',
    );
    expect(trialText(trial({ exporterChecksum: null, comparedBytes: 0 }))).toMatch(/^It works. The bytes changed/);
    expect(trialText(trial({ worked: false }))).toBe('It does not work.');
    const error = {
      code: 'host-lost',
      message: 'The process that has the memory ended before the trial did.',
    } as const;
    expect(trialText(trial({ worked: false, error }))).toBe('Not tried to the end: whether it works is not known.');
  });
  it('has times that can be read', () => {
    expect([undefined, 12.3, 999.4, 1234, 250_000].map(stepTime)).toEqual(['', '12 µs', '999 µs', '1.23 ms', '250 ms']);
  });
});
