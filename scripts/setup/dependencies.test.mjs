import { describe, expect, it } from 'vitest';
import { matchesLock } from './dependencies.mjs';

/** @param {Record<string, object>} packages */
const lock = (packages) => JSON.stringify({ lockfileVersion: 3, packages });
const wanted = lock({
  '': { name: 'app' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/a-linux': { version: '1.0.0', integrity: 'sha512-l', optional: true },
});

describe('matchesLock', () => {
  it('accepts an installation of exactly these versions, without what this platform does not need', () => {
    expect(matchesLock(wanted, lock({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } }))).toBe(true);
  });

  it.each([
    ['nothing is installed', undefined],
    ['a package is missing', lock({})],
    ['a version differs', lock({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } })],
    ['a content differs', lock({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } })],
  ])('refuses when %s', (_, installed) => {
    expect(matchesLock(wanted, installed)).toBe(false);
  });
});
