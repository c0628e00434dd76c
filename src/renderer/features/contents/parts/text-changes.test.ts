import { expect, it } from 'vitest';
import { TextChanges } from './text-changes';

it('marks what says something else than before, for a while', () => {
  let now = 0;
  const changes = new TextChanges(() => now);
  const basis = ['layout'];
  changes.begin(1, basis);
  expect(changes.isChanged('a', '1')).toBe(false);
  expect(changes.isChanged('b', '1')).toBe(false);
  changes.begin(2, basis);
  expect(changes.isChanged('a', '2')).toBe(true);
  expect(changes.isChanged('b', '1')).toBe(false);
  // Drawn twice with the same bytes, it says the same.
  changes.begin(2, basis);
  expect(changes.isChanged('a', '2')).toBe(true);
  now = 1500;
  changes.begin(3, basis);
  expect(changes.isChanged('a', '2')).toBe(true);
  now = 1700;
  changes.begin(4, basis);
  expect(changes.isChanged('a', '2')).toBe(false);
  changes.begin(5, ['another']);
  expect(changes.isChanged('a', '9')).toBe(false);
});
