/** Statements that name the root: what is laid over the memory. */
import { builtIn } from '#contract/structure/built-in';
import { Fault } from '#contract/structure/token-reader';
import { arrayOf, readLengths } from './arrays';
import { KEYWORDS } from './members';
import { type ParseState, TOO_LARGE } from './state';

/** `Header;`, `Header at 64;`, `Header[];`, `Header[100] at 64;`. False, and nothing taken, where something else stands. */
export function readRoot(state: ParseState): boolean {
  const { reader } = state;
  if (reader.peek().kind !== 'name' || KEYWORDS.has(reader.peek().text)) return false;
  const type = state.types.get(reader.peek().text) ?? builtIn.get(reader.peek().text);
  const at = reader.is('at', 1) && ![';', '[', ':', ',', '@'].some((sign) => reader.is(sign, 2));
  const dimensions = reader.is('[', 1) && !(reader.is('[', 2) && reader.peek(1).end === reader.peek(2).start);
  const alone = reader.is(';', 1) || (reader.peek(1).kind === 'end' && type !== undefined);
  if (!at && !dimensions && !alone && !reader.is('@', 1)) return false;
  if (reader.is('padding')) return false;
  const token = reader.next();
  if (type === undefined) throw state.unknown(token);
  let repeated = false;
  let root = type;
  if (reader.is('[') && reader.is(']', 1)) {
    reader.next();
    reader.next();
    repeated = true;
  } else root = arrayOf(type, readLengths(state, new Set()), token);
  let offset = 0;
  if (reader.take('at') || reader.take('@')) offset = state.count('An offset');
  if (state.root !== undefined) {
    throw new Fault('There is one root only: it is named above.', token.start, reader.previous.end);
  }
  if (offset + (root.size ?? 0) > Number.MAX_SAFE_INTEGER) {
    throw new Fault(TOO_LARGE, token.start, reader.previous.end);
  }
  state.root = { type: root, name: token.text, offset, repeated };
  state.semicolon('after the root');
  return true;
}
