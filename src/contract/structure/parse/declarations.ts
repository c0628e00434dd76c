/** What declares a name and is no struct or enum by itself: constants, `typedef` and `using`. */
import { noAttributes } from '#contract/structure/attributes';
import type { Type } from '#contract/structure/types';
import { arrayOf, readLengths } from './arrays';
import { pointerTo } from './pointers';
import type { ParseState } from './state';

/** `const NAME = 4;`, from the word `const` on. */
export function readConstant(state: ParseState): void {
  const { reader } = state;
  reader.next();
  const name = reader.name('a name');
  reader.next();
  state.constants.set(name.text, state.constant());
  state.semicolon('after the constant');
}

/** What stands behind `typedef`. */
export function readTypedef(state: ParseState): void {
  const { reader } = state;
  const base = state.readType(true);
  let type = base;
  while (reader.take('*')) type = pointerTo(type);
  readNewName(state, type);
}

/** The new name of a type, with lengths behind it. */
function readNewName(state: ParseState, type: Type): void {
  const name = state.reader.name('a name');
  const lengths = readLengths(state, new Set());
  const attributes = noAttributes();
  state.attributes(attributes);
  const made = arrayOf(type, lengths, name);
  // `typedef struct { … } Name;`
  const renamed = made.kind === 'struct' && made.name === '' ? { ...made, name: name.text } : made;
  if (renamed.kind === 'struct' && type.kind === 'struct' && type.name === '') state.lastStruct = renamed;
  state.declare(name, made.kind === 'enum' && made.name === '' ? { ...made, name: name.text } : renamed);
  state.semicolon('after the name');
}

/** What stands behind `using`. */
export function readUsing(state: ParseState): void {
  const { reader } = state;
  const name = reader.name('a name');
  reader.expect('=', 'after the name');
  let type = state.readType();
  while (reader.take('*')) type = pointerTo(type);
  state.declare(name, arrayOf(type, readLengths(state, new Set()), name));
  state.semicolon('after the type');
}
