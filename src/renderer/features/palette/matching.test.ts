import { describe, expect, it } from 'vitest';
import { match } from './matching';

const marked = (text: string, query: string) =>
  match(text, query)
    ?.parts.map((part) => (part.hit ? `[${part.text}]` : part.text))
    .join('');

describe('the palette', () => {
  it.each([
    ['Go to the next NaN', 'next n', 'Go to the [next] [N]aN'],
    ['New buffer…', 'new b', '[New] [b]uffer…'],
    ['tokens.next', 'next', 'tokens.[next]'],
    ['New consumer', 'nc', '[N]ew [c]onsumer'],
    ['New buffer…', '', 'New buffer…'],
    ['New buffer…', 'xyz', undefined],
    ['New buffer…', 'ub', undefined],
  ])('“%s” for “%s” is %s', (text, query, expected) => expect(marked(text, query)).toBe(expected));

  it('prefers the beginning of a text, then of a word, then anywhere', () => {
    const scores = ['Filter handles', 'Clear the filter', 'Unfiltered'].map(
      (text) => match(text, 'filter')?.score ?? 0,
    );
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
  });
});
