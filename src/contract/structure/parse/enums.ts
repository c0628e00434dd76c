/** `enum Mode : u8 { … }`. */

import { dtypes, isInteger } from '#contract/dtypes';
import { noAttributes } from '#contract/structure/attributes';
import { elementType } from '#contract/structure/built-in';
import { isPacked } from '#contract/structure/layout';
import { Fault } from '#contract/structure/token-reader';
import { type ElementType, type EnumType, FORMAT_LIMITS, type Type } from '#contract/structure/types';
import type { ParseState } from './state';

/** From the keyword to the closing brace, or the name of an enum that is declared. Its members become constants. */
export function readEnum(state: ParseState): Type {
  const { reader } = state;
  reader.next();
  if (!reader.take('class')) reader.take('struct');
  const attributes = noAttributes();
  state.attributes(attributes);
  const name = reader.peek().kind === 'name' ? reader.name('a name') : undefined;
  if (!reader.is('{') && !reader.is(':')) {
    const known = name && state.types.get(name.text);
    if (known) return known;
    throw name === undefined ? reader.unexpected('“{”') : state.unknown(name);
  }
  let base = elementType('i32', 'int');
  if (reader.take(':')) base = readIntegerType(state);
  reader.expect('{', 'at the start of the members');
  const members: { name: string; value: bigint }[] = [];
  let next = 0n;
  while (!reader.is('}')) {
    const member = reader.name('a member or “}”');
    if (members.length >= FORMAT_LIMITS.enumMembers) {
      throw new Fault(`An enum has at most ${FORMAT_LIMITS.enumMembers} members.`, member.start, member.end);
    }
    if (reader.take('=')) next = state.constant();
    const [low, high] = rangeOf(base);
    if (next < low || next > high) {
      const message = `${next} does not fit into ${base.name}, which holds ${low} to ${high}.`;
      reader.report({ message, start: member.start, end: reader.previous.end });
    }
    members.push({ name: member.text, value: next });
    state.constants.set(member.text, next);
    if (name !== undefined) state.constants.set(`${name.text}::${member.text}`, next);
    next++;
    if (!reader.take(',')) break;
  }
  reader.expect('}', 'at the end of the enum');
  state.attributes(attributes);
  const { size, alignment } = base;
  const type: EnumType = { kind: 'enum', name: name?.text ?? 'enum', base, members, size, alignment };
  if (name !== undefined) state.declare(name, type);
  return type;
}

function readIntegerType(state: ParseState): ElementType {
  const token = state.reader.peek();
  const type = state.readType();
  if (type.kind !== 'element' || !isInteger(type.dtype) || isPacked(type)) {
    throw new Fault('Expected a whole-number type: u8 to u64, i8 to i64.', token.start, token.end);
  }
  return type;
}

/** Smallest and largest number of an integer type. */
function rangeOf({ dtype }: ElementType): [bigint, bigint] {
  const { bits, kind } = dtypes[dtype];
  const half = 1n << BigInt(bits - 1);
  return kind === 'signed' ? [-half, half - 1n] : [0n, 2n * half - 1n];
}
