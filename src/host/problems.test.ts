import { expect, it } from 'vitest';
import { outOfRange } from './problems';

it('names the end of a range exactly, also beyond 2^53', () => {
  const offset = Number.MAX_SAFE_INTEGER;
  expect(outOfRange({ offset, length: 16 }, 'weights', 4096).error).toMatchObject({
    code: 'out-of-range',
    message: 'Bytes 9,007,199,254,740,991 to 9,007,199,254,741,007 do not lie inside weights, which has 4,096.',
    hint: undefined,
  });
  expect(outOfRange({ offset: 96, length: 4001 }, 'weights', 4096).error.hint).toBe(
    'At most 4,000 bytes can be used from there.',
  );
});
