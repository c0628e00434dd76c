/** Bit fields: single ones, ones without a name, and the groups that name the bits of one number. */

import { isInteger } from '#contract/dtypes';
import { noAttributes } from '#contract/structure/attributes';
import { isPacked, typeText } from '#contract/structure/layout';
import { Fault } from '#contract/structure/token-reader';
import type { Token } from '#contract/structure/tokens';
import type { BitsType, ElementType, EnumType, Type } from '#contract/structure/types';
import type { Draft, ParseState } from './state';

/** Whether bits can be taken of it, and a length can name it: an integer or bool of whole bytes. */
export const isWholeNumber = (type: Type): boolean =>
  type.kind === 'element' && (isInteger(type.dtype) || type.dtype === 'bool') && !isPacked(type);

/** `u32 : 5;` leaves bits out; `u32 : 0;` goes to the next u32. */
export function readUnnamedBits(state: ParseState, type: Type, drafts: Draft[]): void {
  const token = state.reader.next();
  const width = readBitWidth(state, type, token, 0);
  state.add(drafts, { name: '', token, type, attributes: noAttributes(), width, padding: true });
}

/** The number of bits of a field of `type`, `least` or more. */
export function readBitWidth(state: ParseState, type: Type, { start }: Token, least = 1): number {
  if (!isWholeNumber(type) && type.kind !== 'enum') {
    throw new Fault('Bits are taken of whole-number types and enums only.', start, state.reader.previous.end);
  }
  const most = (type.size ?? 0) * 8;
  const value = state.constant();
  if (value < BigInt(least) || value > BigInt(most)) {
    throw new Fault(`${typeText(type)} has ${most} bits: give ${least} to ${most}.`, start, state.reader.previous.end);
  }
  return Number(value);
}

/** `u16 flags : { ready : 1; mode : 3; }`: names for the bits of one number. */
export function readBitGroup(state: ParseState, base: Type, token: Token): BitsType {
  const { reader } = state;
  if (base.kind !== 'element' || !isInteger(base.dtype) || isPacked(base)) {
    throw new Fault('Bits are taken of whole-number types only.', token.start, token.end);
  }
  reader.next();
  const fields: BitsType['fields'][number][] = [];
  let start = 0;
  const most = base.size * 8;
  while (!reader.is('}')) {
    const first = reader.peek();
    let type: ElementType | EnumType = base;
    if (first.kind === 'name' && reader.peek(1).kind === 'name') {
      const given = state.readType();
      if (given.kind !== 'enum' && !(given.kind === 'element' && (isInteger(given.dtype) || given.dtype === 'bool'))) {
        throw new Fault('Bits are of whole-number types, bool and enums only.', first.start, first.end);
      }
      type = given;
    }
    const name = reader.is(':') ? undefined : reader.name('the name of a bit or “}”');
    reader.expect(':', 'before the number of bits');
    const value = state.constant();
    const attributes = noAttributes();
    state.attributes(attributes);
    if (value < 1n || value > BigInt(most - start)) {
      const message = `Of ${base.name} ${most - start} bits are left: give 1 to ${most - start}.`;
      throw new Fault(message, first.start, reader.previous.end);
    }
    if (name !== undefined && name.text !== 'padding') {
      fields.push({ name: name.text, start, width: Number(value), type, look: attributes.look });
    }
    start += Number(value);
    if (!reader.take(';') && !reader.take(',')) break;
  }
  reader.expect('}', 'at the end of the bits');
  return { kind: 'bits', base, fields, size: base.size, alignment: base.alignment };
}
