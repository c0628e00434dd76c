/** `struct Header { … }` and unions. */
import { noAttributes } from '#contract/structure/attributes';
import type { Type } from '#contract/structure/types';
import { readMember } from './members';
import { undeclared } from './pointers';
import type { Draft, ParseState } from './state';
import { structOf } from './struct-type';

/** From the keyword to the closing brace, or the name of a struct that is declared. */
export function readStruct(state: ParseState, isTypedef: boolean): Type {
  const { reader } = state;
  const keyword = reader.next();
  const union = keyword.text === 'union';
  const attributes = noAttributes();
  state.attributes(attributes);
  const name = reader.peek().kind === 'name' ? reader.name('a name') : undefined;
  state.attributes(attributes);
  if (!reader.is('{')) {
    if (name === undefined) throw reader.unexpected('“{”');
    const type = state.types.get(name.text);
    if (type !== undefined) return type;
    if (reader.is('*')) return undeclared(name.text, union);
    throw state.unknown(name);
  }
  state.enter(keyword);
  const scope = new Set<string>();
  state.open.push(name?.text ?? '');
  const drafts: Draft[] = [];
  reader.next();
  while (!reader.is('}') && reader.peek().kind !== 'end' && !reader.full) {
    state.guarded(() => readMember(state, drafts, scope, false));
  }
  state.open.pop();
  state.leave();
  reader.expect('}', `at the end of ${name === undefined ? `the ${keyword.text}` : `“${name.text}”`}`);
  state.attributes(attributes);
  const type = structOf(name?.text ?? '', drafts, union, attributes, name ?? keyword);
  if (name !== undefined) state.declare(name, type);
  if (state.open.length === 0 && (name !== undefined || isTypedef)) state.lastStruct = type;
  return type;
}
