/** A type as it stands before a name: a word of the language or of C, a declared name, a struct or an enum. */
import { builtIn, C_WORDS, combined, elementType } from '#contract/structure/built-in';
import { Fault } from '#contract/structure/token-reader';
import type { Type } from '#contract/structure/types';
import { readEnum } from './enums';
import { undeclared } from './pointers';
import type { ParseState } from './state';
import { readStruct } from './structs';

const QUALIFIERS: ReadonlySet<string> = new Set(['const', 'volatile', 'static', 'extern', 'inline']);

/** `isTypedef`: behind `typedef`, where a struct without a name gets one later. */
export function readTypeName(state: ParseState, isTypedef: boolean): Type {
  const { reader } = state;
  while (QUALIFIERS.has(reader.peek().text) && reader.peek().kind === 'name') reader.next();
  if (reader.is('struct') || reader.is('union')) return readStruct(state, isTypedef);
  if (reader.is('enum')) return readEnum(state);
  const token = reader.name('a type');
  let type: Type | undefined;
  if (C_WORDS.has(token.text)) {
    const words = [token.text];
    while (reader.peek().kind === 'name' && C_WORDS.has(reader.peek().text)) words.push(reader.next().text);
    type = words.length === 1 ? builtIn.get(token.text) : combined(words);
    if (type === undefined) {
      throw new Fault(`“${words.join(' ')}” is no type.`, token.start, reader.previous.end);
    }
  } else type = state.types.get(token.text) ?? builtIn.get(token.text);
  while (QUALIFIERS.has(reader.peek().text) && reader.peek().kind === 'name') reader.next();
  if (type !== undefined) return type;
  // What it points to need not be known.
  if (reader.is('*')) return undeclared(token.text);
  reader.report(state.unknown(token));
  return elementType('u8', token.text);
}
