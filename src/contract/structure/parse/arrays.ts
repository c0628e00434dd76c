/** Lengths behind a name, and the arrays that they make. */
import { dtypes } from '#contract/dtypes';
import { arraySize, isPacked } from '#contract/structure/layout';
import { Fault } from '#contract/structure/token-reader';
import type { Token } from '#contract/structure/tokens';
import { FORMAT_LIMITS, type Length, type Type } from '#contract/structure/types';
import { type ParseState, TOO_LARGE } from './state';

/** `[4][n]`, the outermost first. `scope`: the fields that a length may name. */
export function readLengths(state: ParseState, scope: ReadonlySet<string>): Length[] {
  const { reader } = state;
  const lengths: Length[] = [];
  while (reader.is('[') && !reader.atAttributes()) {
    const open = reader.next();
    if (reader.is(']')) {
      throw new Fault('An array needs a length; only the root may do without.', open.start, reader.next().end);
    }
    const start = reader.peek().start;
    const expression = state.expression(scope);
    const { end } = reader.previous;
    reader.expect(']', 'after the length');
    if (lengths.length >= FORMAT_LIMITS.dimensions) {
      throw new Fault(`An array has at most ${FORMAT_LIMITS.dimensions} dimensions.`, open.start, end);
    }
    if (expression.kind === 'number') {
      if (expression.value < 0n) throw new Fault('A length cannot be negative.', start, end);
      if (expression.value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Fault(TOO_LARGE, start, end);
      lengths.push({ kind: 'fixed', count: Number(expression.value) });
    } else lengths.push({ kind: 'read', expression, text: reader.text.slice(start, end).slice(0, 100) });
  }
  return lengths;
}

/** An array of these lengths; the element itself when there is none. `at`: what a problem is told at. */
export function arrayOf(element: Type, lengths: readonly Length[], { start, end }: Token): Type {
  let type = element;
  for (const length of [...lengths].reverse()) {
    if (type.kind === 'array' && type.element.kind === 'element' && isPacked(type.element)) {
      const { perUnit } = dtypes[type.element.dtype];
      if (type.length.kind === 'fixed' && type.length.count % perUnit !== 0) {
        throw new Fault(`Rows of ${type.element.name} need an even length.`, start, end);
      }
    }
    const size = length.kind === 'fixed' ? arraySize(type, length.count) : undefined;
    if (size !== undefined && size > Number.MAX_SAFE_INTEGER) throw new Fault(TOO_LARGE, start, end);
    type = { kind: 'array', element: type, length, size, alignment: type.alignment };
  }
  return type;
}
