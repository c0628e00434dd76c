/**
 * Reads a format text: types by name, their layout, and what of them is the root. One pass, so that a type must be
 * declared before it is used, as in C. Nothing throws; docs/structure-format.md describes the language.
 */
import { dtypes, isInteger } from '#contract/dtypes';
import { type Attributes, noAttributes, readAttributes } from './attributes';
import { builtIn, C_WORDS, combined, elementType } from './built-in';
import { fieldsIn } from './expression';
import { ExpressionReader } from './expression-reader';
import { arraySize, isPacked, Placer, typeText } from './layout';
import { Fault, TokenReader } from './token-reader';
import type { Token } from './tokens';
import {
  type BitsType,
  type ElementType,
  type EnumType,
  type Expression,
  type Field,
  FORMAT_LIMITS,
  type Format,
  type Length,
  type Problem,
  type StructType,
  type Type,
} from './types';

export type FormatReading =
  | { readonly ok: true; readonly format: Format }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The format of a text, or what is wrong with it: in the order of the text, 20 problems at most. */
export function parseFormat(text: string): FormatReading {
  if (text.length > FORMAT_LIMITS.characters) {
    const message = `A format has at most ${FORMAT_LIMITS.characters.toLocaleString('en-US')} characters.`;
    return { ok: false, problems: [{ message, start: 0, end: 0, line: 1, column: 1 }] };
  }
  const parser = new Parser(text);
  const format = parser.parse();
  const problems = [...parser.reader.problems].sort((a, b) => a.start - b.start);
  if (problems.length > 0 || format === undefined) return { ok: false, problems };
  return { ok: true, format };
}

/** A field before it has a place. */
interface Draft {
  readonly name: string;
  readonly token: Token;
  readonly type: Type;
  readonly attributes: Attributes;
  readonly width?: number;
  readonly placed?: number;
  readonly padding?: true;
}

interface RootStatement {
  readonly type: Type;
  readonly name: string;
  readonly offset: number;
  readonly repeated: boolean;
}

const QUALIFIERS: ReadonlySet<string> = new Set(['const', 'volatile', 'static', 'extern', 'inline']);
const KEYWORDS: ReadonlySet<string> = new Set(['struct', 'union', 'enum', 'typedef', 'using', 'const']);
const TOO_LARGE = 'This is larger than 2^53 bytes.';

class Parser {
  readonly reader: TokenReader;
  private readonly types = new Map<string, Type>();
  private readonly constants = new Map<string, bigint>();
  private readonly rootDrafts: Draft[] = [];
  private root: RootStatement | undefined;
  private lastStruct: StructType | undefined;
  private fieldCount = 0;
  private nesting = 0;
  /** Integer fields outside of structs: what a length there may name. */
  private readonly rootScope = new Set<string>();
  /** Names of the structs that are being read, empty for those without one. */
  private readonly open: string[] = [];

  constructor(text: string) {
    this.reader = new TokenReader(text);
  }

  parse(): Format | undefined {
    const { reader } = this;
    while (reader.peek().kind !== 'end' && !reader.full) {
      this.guarded(() => this.declaration());
      if (reader.is('}')) {
        reader.report({ message: 'There is nothing for this brace to close.', ...spanOf(reader.next()) });
      }
    }
    const [first] = this.rootDrafts;
    if (this.root !== undefined) {
      if (first !== undefined) {
        const message = `Fields outside of a struct are the root already: “${this.root.name}” cannot be it too.`;
        reader.report({ message, ...spanOf(first.token) });
      }
      const { type, name, offset, repeated } = this.root;
      if (repeated && type.size === 0) {
        const [message, at] = [`“${name}” takes no bytes: it cannot repeat.`, reader.previous];
        reader.report({ message, ...spanOf(at) });
      }
      return { root: type, rootName: name, rootOffset: offset, repeated };
    }
    if (first !== undefined) {
      let type: StructType | undefined;
      this.guarded(() => {
        type = this.build('', this.rootDrafts, false, noAttributes(), first.token);
      });
      return type && { root: type, rootName: '', rootOffset: 0, repeated: false };
    }
    if (this.lastStruct !== undefined) {
      return { root: this.lastStruct, rootName: this.lastStruct.name, rootOffset: 0, repeated: false };
    }
    if (reader.problems.length === 0) {
      reader.report({ message: 'Nothing is described: list fields, or declare a struct.', start: 0, end: 0 });
    }
    return undefined;
  }

  /** Runs `read`; a fault in it becomes a problem, and reading goes on behind the next semicolon. */
  private guarded(read: () => void): void {
    const { nesting } = this;
    const open = this.open.length;
    const { depth } = this.reader;
    try {
      read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.reader.report(error);
      this.nesting = nesting;
      this.open.length = open;
      this.reader.recover(depth);
    }
  }

  // ---------------------------------------------------------------- declarations

  private declaration(): void {
    const { reader } = this;
    if (reader.take(';')) return;
    if (reader.peek().kind === 'directive') this.directive();
    else if (reader.take('typedef')) this.typedef();
    else if (reader.take('using')) this.using();
    else if (reader.is('const') && reader.peek(1).kind === 'name' && reader.is('=', 2)) {
      reader.next();
      const name = reader.name('a name');
      reader.next();
      this.constants.set(name.text, this.constant());
      this.semicolon('after the constant');
    } else if (!this.rootStatement()) this.member(this.rootDrafts, this.rootScope, true);
  }

  /** `#define NAME 4` is a constant; `#include` and `#pragma once` say nothing here. */
  private directive(): void {
    const { reader } = this;
    const token = reader.next();
    const newline = reader.text.indexOf('\n', token.end);
    const lineEnd = newline < 0 ? reader.text.length : newline;
    const skipLine = (): void => {
      while (reader.peek().kind !== 'end' && reader.peek().start < lineEnd) reader.next();
    };
    const line = reader.text.slice(token.start, lineEnd);
    if (token.text === '#include' || /^#pragma\s+once\b/.test(line)) {
      skipLine();
      return;
    }
    if (token.text !== '#define') {
      skipLine();
      const message = `“${token.text}” is not understood. For structs without gaps write [[packed]].`;
      reader.report({ message, ...spanOf(token) });
      return;
    }
    if (reader.peek().start >= lineEnd) throw reader.unexpected('a name');
    const name = reader.name('a name');
    if (reader.peek().start >= lineEnd) return; // `#define GUARD`
    const value = this.constant();
    if (reader.peek().kind !== 'end' && reader.peek().start < lineEnd) throw reader.unexpected('the end of the line');
    this.constants.set(name.text, value);
  }

  private typedef(): void {
    const { reader } = this;
    const base = this.typeName(true);
    let type = base;
    while (reader.take('*')) type = this.pointer(type);
    this.named(type);
  }

  /** The new name of a type, with lengths behind it. */
  private named(type: Type): void {
    const name = this.reader.name('a name');
    const lengths = this.lengths(new Set());
    const attributes = noAttributes();
    this.attributes(attributes);
    const made = this.array(type, lengths, name);
    // `typedef struct { … } Name;`
    const renamed = made.kind === 'struct' && made.name === '' ? { ...made, name: name.text } : made;
    if (renamed.kind === 'struct' && type.kind === 'struct' && type.name === '') this.lastStruct = renamed;
    this.declare(name, made.kind === 'enum' && made.name === '' ? { ...made, name: name.text } : renamed);
    this.semicolon('after the name');
  }

  private using(): void {
    const { reader } = this;
    const name = reader.name('a name');
    reader.expect('=', 'after the name');
    let type = this.typeName();
    while (reader.take('*')) type = this.pointer(type);
    this.declare(name, this.array(type, this.lengths(new Set()), name));
    this.semicolon('after the type');
  }

  private declare(token: Token, type: Type): void {
    const known = this.types.get(token.text);
    if (builtIn.has(token.text) || C_WORDS.has(token.text)) {
      throw new Fault(`“${token.text}” is a type already.`, token.start, token.end);
    }
    if (known !== undefined && known !== type) {
      throw new Fault(`There is a type “${token.text}” already.`, token.start, token.end);
    }
    if (this.types.size >= FORMAT_LIMITS.types) {
      throw new Fault(`A format has at most ${FORMAT_LIMITS.types} types.`, token.start, token.end);
    }
    this.types.set(token.text, type);
  }

  /** `Header;`, `Header at 64;`, `Header[];`, `Header[100] at 64;`: what is laid over the memory. */
  private rootStatement(): boolean {
    const { reader } = this;
    if (reader.peek().kind !== 'name' || KEYWORDS.has(reader.peek().text)) return false;
    const type = this.types.get(reader.peek().text) ?? builtIn.get(reader.peek().text);
    const at = reader.is('at', 1) && ![';', '[', ':', ',', '@'].some((sign) => reader.is(sign, 2));
    const dimensions = reader.is('[', 1) && !(reader.is('[', 2) && reader.peek(1).end === reader.peek(2).start);
    const alone = reader.is(';', 1) || (reader.peek(1).kind === 'end' && type !== undefined);
    if (!at && !dimensions && !alone && !reader.is('@', 1)) return false;
    if (reader.is('padding')) return false;
    const token = reader.next();
    if (type === undefined) throw this.unknown(token);
    let repeated = false;
    let root = type;
    if (reader.is('[') && reader.is(']', 1)) {
      reader.next();
      reader.next();
      repeated = true;
    } else root = this.array(type, this.lengths(new Set()), token);
    let offset = 0;
    if (reader.take('at') || reader.take('@')) offset = this.count('An offset');
    if (this.root !== undefined) {
      throw new Fault('There is one root only: it is named above.', token.start, reader.previous.end);
    }
    if (offset + (root.size ?? 0) > Number.MAX_SAFE_INTEGER) {
      throw new Fault(TOO_LARGE, token.start, reader.previous.end);
    }
    this.root = { type: root, name: token.text, offset, repeated };
    this.semicolon('after the root');
    return true;
  }

  /** At the end of the text it may be missing. */
  private semicolon(where: string): void {
    if (this.reader.peek().kind !== 'end') this.reader.expect(';', where);
  }

  // ---------------------------------------------------------------- types

  /** A type as it stands before a name. */
  private typeName(isTypedef = false): Type {
    const { reader } = this;
    while (QUALIFIERS.has(reader.peek().text) && reader.peek().kind === 'name') reader.next();
    if (reader.is('struct') || reader.is('union')) return this.structOrUnion(isTypedef);
    if (reader.is('enum')) return this.enumeration();
    const token = reader.name('a type');
    let type: Type | undefined;
    if (C_WORDS.has(token.text)) {
      const words = [token.text];
      while (reader.peek().kind === 'name' && C_WORDS.has(reader.peek().text)) words.push(reader.next().text);
      type = words.length === 1 ? builtIn.get(token.text) : combined(words);
      if (type === undefined) {
        throw new Fault(`“${words.join(' ')}” is no type.`, token.start, reader.previous.end);
      }
    } else type = this.types.get(token.text) ?? builtIn.get(token.text);
    while (QUALIFIERS.has(reader.peek().text) && reader.peek().kind === 'name') reader.next();
    if (type !== undefined) return type;
    // What it points to need not be known.
    if (reader.is('*'))
      return { kind: 'struct', name: token.text, union: false, packed: false, fields: [], look: {}, ...NO_SIZE };
    reader.report(this.unknown(token));
    return elementType('u8', token.text);
  }

  private unknown({ text, start, end }: Token): Fault {
    const below = new RegExp(`\\b(?:struct|union|enum|using)\\s+${text}\\b|\\}\\s*${text}\\s*;`);
    const later = below.test(this.reader.text.slice(end));
    if (this.open.includes(text))
      return new Fault(`“${text}” cannot hold itself; a pointer to it can stand here.`, start, end);
    const why = later ? `“${text}” is declared only further down: move it up.` : `There is no type “${text}”.`;
    return new Fault(why, start, end);
  }

  private pointer(target: Type): Type {
    return { kind: 'pointer', target: typeText(target), size: 8, alignment: 8 };
  }

  private structOrUnion(isTypedef = false): Type {
    const { reader } = this;
    const keyword = reader.next();
    const union = keyword.text === 'union';
    const attributes = noAttributes();
    this.attributes(attributes);
    const name = reader.peek().kind === 'name' ? reader.name('a name') : undefined;
    this.attributes(attributes);
    if (!reader.is('{')) {
      if (name === undefined) throw reader.unexpected('“{”');
      const type = this.types.get(name.text);
      if (type !== undefined) return type;
      if (reader.is('*'))
        return { kind: 'struct', name: name.text, union, packed: false, fields: [], look: {}, ...NO_SIZE };
      throw this.unknown(name);
    }
    this.enter(keyword);
    const scope = new Set<string>();
    this.open.push(name?.text ?? '');
    const drafts: Draft[] = [];
    reader.next();
    while (!reader.is('}') && reader.peek().kind !== 'end' && !reader.full) {
      this.guarded(() => this.member(drafts, scope, false));
    }
    this.open.pop();
    this.nesting--;
    reader.expect('}', `at the end of ${name === undefined ? `the ${keyword.text}` : `“${name.text}”`}`);
    this.attributes(attributes);
    const type = this.build(name?.text ?? '', drafts, union, attributes, name ?? keyword);
    if (name !== undefined) this.declare(name, type);
    if (this.open.length === 0 && (name !== undefined || isTypedef)) this.lastStruct = type;
    return type;
  }

  private enter(token: Token): void {
    if (this.nesting >= FORMAT_LIMITS.nesting) {
      throw new Fault(`At most ${FORMAT_LIMITS.nesting} levels can be nested.`, token.start, token.end);
    }
    this.nesting++;
  }

  private enumeration(): Type {
    const { reader } = this;
    reader.next();
    if (!reader.take('class')) reader.take('struct');
    const attributes = noAttributes();
    this.attributes(attributes);
    const name = reader.peek().kind === 'name' ? reader.name('a name') : undefined;
    if (!reader.is('{') && !reader.is(':')) {
      const known = name && this.types.get(name.text);
      if (known) return known;
      throw name === undefined ? reader.unexpected('“{”') : this.unknown(name);
    }
    let base = elementType('i32', 'int');
    if (reader.take(':')) base = this.integerType();
    reader.expect('{', 'at the start of the members');
    const members: { name: string; value: bigint }[] = [];
    let next = 0n;
    while (!reader.is('}')) {
      const member = reader.name('a member or “}”');
      if (members.length >= FORMAT_LIMITS.enumMembers) {
        throw new Fault(`An enum has at most ${FORMAT_LIMITS.enumMembers} members.`, member.start, member.end);
      }
      if (reader.take('=')) next = this.constant();
      const [low, high] = rangeOf(base);
      if (next < low || next > high) {
        const message = `${next} does not fit into ${base.name}, which holds ${low} to ${high}.`;
        reader.report({ message, start: member.start, end: reader.previous.end });
      }
      members.push({ name: member.text, value: next });
      this.constants.set(member.text, next);
      if (name !== undefined) this.constants.set(`${name.text}::${member.text}`, next);
      next++;
      if (!reader.take(',')) break;
    }
    reader.expect('}', 'at the end of the enum');
    this.attributes(attributes);
    const { size, alignment } = base;
    const type: EnumType = { kind: 'enum', name: name?.text ?? 'enum', base, members, size, alignment };
    if (name !== undefined) this.declare(name, type);
    return type;
  }

  private integerType(): ElementType {
    const token = this.reader.peek();
    const type = this.typeName();
    if (type.kind !== 'element' || !isInteger(type.dtype) || isPacked(type)) {
      throw new Fault('Expected a whole-number type: u8 to u64, i8 to i64.', token.start, token.end);
    }
    return type;
  }

  // ---------------------------------------------------------------- members

  private member(drafts: Draft[], scope: Set<string>, top: boolean): void {
    const { reader } = this;
    if (reader.take(';')) return;
    const shared = noAttributes();
    this.attributes(shared);
    const first = reader.peek();
    if (first.kind === 'directive') {
      this.directive();
      return;
    }
    if (reader.is('padding') && reader.is('[', 1)) {
      reader.next();
      const type = this.array(elementType('u8'), this.lengths(scope), first);
      this.add(drafts, { name: 'padding', token: first, type, attributes: noAttributes(), padding: true });
      this.semicolon('after the padding');
      return;
    }
    if (top && first.kind !== 'name') throw reader.unexpected('a declaration');
    const base = this.typeName();
    const declares = first.text === 'struct' || first.text === 'union' || first.text === 'enum';
    // `struct Header { … };` declares a type and no field; the semicolon may be missing before the next declaration.
    if (declares && (reader.is(';') || reader.peek().kind === 'end' || KEYWORDS.has(reader.peek().text))) {
      if (base.kind === 'struct' && base.name === '' && reader.is(';')) {
        this.add(drafts, { name: '', token: first, type: base, attributes: shared });
      }
      reader.take(';');
      return;
    }
    do this.declarator(base, shared, drafts, scope);
    while (reader.take(','));
    this.semicolon('after the field');
  }

  private declarator(base: Type, shared: Attributes, drafts: Draft[], scope: Set<string>): void {
    const { reader } = this;
    let type = base;
    while (reader.take('*')) {
      type = this.pointer(type);
      while (reader.take('const') || reader.take('__restrict__') || reader.take('restrict'));
    }
    if (type.kind === 'struct' && type.size === undefined && type.fields.length === 0) throw reader.unexpected('“*”');
    const attributes: Attributes = { ...shared };
    if (reader.is(':')) {
      this.unnamedBits(type, drafts);
      return;
    }
    const token = reader.name('the name of a field');
    let width: number | undefined;
    type = this.array(type, this.lengths(scope), token);
    if (reader.take(':')) {
      if (reader.is('{')) type = this.bitGroup(type, token);
      else width = this.bitWidth(type, token);
    }
    let placed: number | undefined;
    if (reader.take('@')) placed = this.count('An offset');
    this.attributes(attributes);
    if (type.kind === 'element' && isPacked(type)) {
      reader.report({
        message: `A single ${type.name} takes half a byte: write “${type.name} ${token.text}[2]”.`,
        ...spanOf(token),
      });
    }
    if (drafts.some(({ name, padding }) => name === token.text && padding === undefined)) {
      reader.report({ message: `There is a field “${token.text}” already.`, ...spanOf(token) });
    }
    this.add(drafts, { name: token.text, token, type, attributes, width, placed });
    const whole = type.kind === 'enum' || type.kind === 'bits' || type.kind === 'pointer' || isWholeNumber(type);
    if (whole) scope.add(token.text);
  }

  private add(drafts: Draft[], draft: Draft): void {
    if (this.fieldCount >= FORMAT_LIMITS.fields) {
      throw new Fault(`A format has at most ${FORMAT_LIMITS.fields} fields.`, draft.token.start, draft.token.end);
    }
    this.fieldCount++;
    drafts.push(draft);
  }

  /** `u32 : 5;` leaves bits out; `u32 : 0;` goes to the next u32. */
  private unnamedBits(type: Type, drafts: Draft[]): void {
    const token = this.reader.next();
    const width = this.bitWidth(type, token, 0);
    this.add(drafts, { name: '', token, type, attributes: noAttributes(), width, padding: true });
  }

  private bitWidth(type: Type, { start }: Token, least = 1): number {
    const integer = type.kind === 'element' && (isInteger(type.dtype) || type.dtype === 'bool') && !isPacked(type);
    if (!integer && type.kind !== 'enum') {
      throw new Fault('Bits are taken of whole-number types and enums only.', start, this.reader.previous.end);
    }
    const most = (type.size ?? 0) * 8;
    const value = this.constant();
    if (value < BigInt(least) || value > BigInt(most)) {
      throw new Fault(`${typeText(type)} has ${most} bits: give ${least} to ${most}.`, start, this.reader.previous.end);
    }
    return Number(value);
  }

  /** `u16 flags : { ready : 1; mode : 3; }`: names for the bits of one number. */
  private bitGroup(base: Type, token: Token): BitsType {
    const { reader } = this;
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
        const given = this.typeName();
        if (
          given.kind !== 'enum' &&
          !(given.kind === 'element' && (isInteger(given.dtype) || given.dtype === 'bool'))
        ) {
          throw new Fault('Bits are of whole-number types, bool and enums only.', first.start, first.end);
        }
        type = given;
      }
      const name = reader.is(':') ? undefined : reader.name('the name of a bit or “}”');
      reader.expect(':', 'before the number of bits');
      const value = this.constant();
      const attributes = noAttributes();
      this.attributes(attributes);
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

  /** `[4][n]`, the outermost first. */
  private lengths(scope: Set<string>): Length[] {
    const { reader } = this;
    const lengths: Length[] = [];
    while (reader.is('[') && !reader.atAttributes()) {
      const open = reader.next();
      if (reader.is(']')) {
        throw new Fault('An array needs a length; only the root may do without.', open.start, reader.next().end);
      }
      const start = reader.peek().start;
      const expression = this.expression(scope);
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

  private array(element: Type, lengths: readonly Length[], { start, end }: Token): Type {
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

  /** A struct of these fields: each gets its place, as far as the text tells it. */
  private build(
    name: string,
    drafts: readonly Draft[],
    union: boolean,
    attributes: Attributes,
    token: Token,
  ): StructType {
    const { packed, look } = attributes;
    const placer = new Placer(packed, union);
    let known = true;
    const fields = drafts.map((draft): Field => {
      const { type, width, placed, padding = false } = draft;
      const alignment = draft.attributes.alignment;
      const bits = width === undefined ? undefined : { width };
      let place: { byte: number; bit: number } | undefined;
      if (known || placed !== undefined) {
        place = placer.place({ type, bits, placed, alignment }, type.size ?? 0);
        if (place.byte + (type.size ?? 0) > Number.MAX_SAFE_INTEGER) {
          throw new Fault(TOO_LARGE, draft.token.start, draft.token.end);
        }
      }
      // In a union the next field begins at the start, however long this one is.
      if (type.size === undefined && !union) known = false;
      return {
        name: draft.name,
        type,
        look: draft.attributes.look,
        offset: place?.byte,
        bits: width === undefined ? undefined : { start: place?.bit, width },
        placed,
        padding,
        alignment,
      };
    });
    const dynamic = drafts.some(({ type }) => type.size === undefined);
    // The alignment of a struct does not depend on how long its arrays are.
    const natural = drafts
      .filter(({ placed, width }) => placed === undefined && width !== 0)
      .map(({ type, attributes: own }) => (packed ? own.alignment : Math.max(own.alignment, type.alignment)));
    const alignment = Math.max(attributes.alignment, 1, ...natural);
    const size = dynamic ? undefined : placer.size(alignment);
    if (size !== undefined && size > Number.MAX_SAFE_INTEGER) throw new Fault(TOO_LARGE, token.start, token.end);
    return { kind: 'struct', name, union, packed, fields, look, size, alignment };
  }

  // ---------------------------------------------------------------- expressions and attributes

  private attributes(into: Attributes): void {
    readAttributes(this.reader, into, () => this.constant());
  }

  /** A whole number that needs no field. */
  private constant(): bigint {
    const { start } = this.reader.peek();
    const expression = this.expression(new Set());
    if (expression.kind === 'number') return expression.value;
    const [name] = fieldsIn(expression);
    throw new Fault(`“${name}” is not known here.`, start, this.reader.previous.end);
  }

  /** A constant that is an offset or a count. */
  private count(what: string): number {
    const { start } = this.reader.peek();
    const value = this.constant();
    if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new Fault(`${what} is 0 to 2^53 - 1.`, start, this.reader.previous.end);
    }
    return Number(value);
  }

  private expression(scope: ReadonlySet<string>): Expression {
    const context = { scope, constants: this.constants, sizeOf: () => this.sizeOf() };
    return new ExpressionReader(this.reader, context).read();
  }

  private sizeOf(): bigint {
    const { reader } = this;
    reader.expect('(', 'after sizeof');
    const { start } = reader.peek();
    let type = this.typeName();
    while (reader.take('*')) type = this.pointer(type);
    reader.expect(')', 'after the type');
    if (type.size === undefined) throw new Fault('It has no fixed size.', start, reader.previous.start);
    return BigInt(type.size);
  }
}

const NO_SIZE = { size: undefined, alignment: 1 } as const;

const spanOf = ({ start, end }: Token): { start: number; end: number } => ({ start, end });

const isWholeNumber = (type: Type): boolean =>
  type.kind === 'element' && (isInteger(type.dtype) || type.dtype === 'bool') && !isPacked(type);

/** Smallest and largest number of an integer type. */
function rangeOf({ dtype }: ElementType): [bigint, bigint] {
  const { bits, kind } = dtypes[dtype];
  const half = 1n << BigInt(bits - 1);
  return kind === 'signed' ? [-half, half - 1n] : [0n, 2n * half - 1n];
}
