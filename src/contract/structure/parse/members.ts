/** What stands between the braces of a struct: fields, several of one type, padding, and structs without a name. */
import { type Attributes, noAttributes } from '#contract/structure/attributes';
import { elementType } from '#contract/structure/built-in';
import { isPacked } from '#contract/structure/layout';
import type { Type } from '#contract/structure/types';
import { arrayOf, readLengths } from './arrays';
import { isWholeNumber, readBitGroup, readBitWidth, readUnnamedBits } from './bit-fields';
import { readDirective } from './directives';
import { pointerTo } from './pointers';
import { type Draft, type ParseState, spanOf } from './state';

/** Words that begin a declaration: none of them is a field's type by itself. */
export const KEYWORDS: ReadonlySet<string> = new Set(['struct', 'union', 'enum', 'typedef', 'using', 'const']);

/**
 * One member of a struct, or a field outside of structs (`top`), added to `drafts`. `scope`: whole-number fields so far,
 * which a length may name.
 */
export function readMember(state: ParseState, drafts: Draft[], scope: Set<string>, top: boolean): void {
  const { reader } = state;
  if (reader.take(';')) return;
  const shared = noAttributes();
  state.attributes(shared);
  const first = reader.peek();
  if (first.kind === 'directive') {
    readDirective(state);
    return;
  }
  if (reader.is('padding') && reader.is('[', 1)) {
    reader.next();
    const type = arrayOf(elementType('u8'), readLengths(state, scope), first);
    state.add(drafts, { name: 'padding', token: first, type, attributes: noAttributes(), padding: true });
    state.semicolon('after the padding');
    return;
  }
  if (top && first.kind !== 'name') throw reader.unexpected('a declaration');
  const base = state.readType();
  const declares = first.text === 'struct' || first.text === 'union' || first.text === 'enum';
  // `struct Header { … };` declares a type and no field; the semicolon may be missing before the next declaration.
  if (declares && (reader.is(';') || reader.peek().kind === 'end' || KEYWORDS.has(reader.peek().text))) {
    if (base.kind === 'struct' && base.name === '' && reader.is(';')) {
      state.add(drafts, { name: '', token: first, type: base, attributes: shared });
    }
    reader.take(';');
    return;
  }
  do readDeclarator(state, base, shared, drafts, scope);
  while (reader.take(','));
  state.semicolon('after the field');
}

function readDeclarator(state: ParseState, base: Type, shared: Attributes, drafts: Draft[], scope: Set<string>): void {
  const { reader } = state;
  let type = base;
  while (reader.take('*')) {
    type = pointerTo(type);
    while (reader.take('const') || reader.take('__restrict__') || reader.take('restrict'));
  }
  if (type.kind === 'struct' && type.size === undefined && type.fields.length === 0) throw reader.unexpected('“*”');
  const attributes: Attributes = { ...shared };
  if (reader.is(':')) {
    readUnnamedBits(state, type, drafts);
    return;
  }
  const token = reader.name('the name of a field');
  let width: number | undefined;
  type = arrayOf(type, readLengths(state, scope), token);
  if (reader.take(':')) {
    if (reader.is('{')) type = readBitGroup(state, type, token);
    else width = readBitWidth(state, type, token);
  }
  let placed: number | undefined;
  if (reader.take('@')) placed = state.count('An offset');
  state.attributes(attributes);
  if (type.kind === 'element' && isPacked(type)) {
    reader.report({
      message: `A single ${type.name} takes half a byte: write “${type.name} ${token.text}[2]”.`,
      ...spanOf(token),
    });
  }
  if (drafts.some(({ name, padding }) => name === token.text && padding === undefined)) {
    reader.report({ message: `There is a field “${token.text}” already.`, ...spanOf(token) });
  }
  state.add(drafts, { name: token.text, token, type, attributes, width, placed });
  const whole = type.kind === 'enum' || type.kind === 'bits' || type.kind === 'pointer' || isWholeNumber(type);
  if (whole) scope.add(token.text);
}
