/** What is known while a format text is read, and the readings that all its parts need. */
import { type Attributes, readAttributes } from '#contract/structure/attributes';
import { builtIn, C_WORDS } from '#contract/structure/built-in';
import { fieldsIn } from '#contract/structure/expression';
import { ExpressionReader } from '#contract/structure/expression-reader';
import { Fault, TokenReader } from '#contract/structure/token-reader';
import type { Token } from '#contract/structure/tokens';
import { type Expression, FORMAT_LIMITS, type StructType, type Type } from '#contract/structure/types';
import { pointerTo } from './pointers';

/** A field before it has a place. */
export interface Draft {
  readonly name: string;
  readonly token: Token;
  readonly type: Type;
  readonly attributes: Attributes;
  /** Bits, of a bit field. */
  readonly width?: number;
  /** `@ 64`: the place was given. */
  readonly placed?: number;
  readonly padding?: true;
}

/** What was named to be laid over the memory. */
export interface RootStatement {
  readonly type: Type;
  readonly name: string;
  readonly offset: number;
  readonly repeated: boolean;
}

/**
 * Reads a type as it stands before a name; `isTypedef`: behind `typedef`. It is given to the state, because types hold
 * fields and fields have types.
 */
type ReadType = (state: ParseState, isTypedef: boolean) => Type;

export const TOO_LARGE = 'This is larger than 2^53 bytes.';

/** The characters of a token. */
export const spanOf = ({ start, end }: Token): { start: number; end: number } => ({ start, end });

export class ParseState {
  readonly reader: TokenReader;
  readonly types = new Map<string, Type>();
  readonly constants = new Map<string, bigint>();
  /** The struct that was declared last, outside of others: the root when none is named. */
  lastStruct: StructType | undefined;
  root: RootStatement | undefined;
  /** Names of the structs that are being read, empty for those without one. */
  readonly open: string[] = [];
  private fieldCount = 0;
  private nesting = 0;

  constructor(
    text: string,
    private readonly typeReader: ReadType,
  ) {
    this.reader = new TokenReader(text);
  }

  /** Runs `read`; a fault in it becomes a problem, and reading goes on behind the next semicolon. */
  guarded(read: () => void): void {
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

  /** A type as it stands before a name. */
  readType(isTypedef = false): Type {
    return this.typeReader(this, isTypedef);
  }

  /** Gives a type its name, which must be free. */
  declare(token: Token, type: Type): void {
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

  /** What is wrong with a type's name that is not known. */
  unknown({ text, start, end }: Token): Fault {
    const below = new RegExp(`\\b(?:struct|union|enum|using)\\s+${text}\\b|\\}\\s*${text}\\s*;`);
    const later = below.test(this.reader.text.slice(end));
    if (this.open.includes(text))
      return new Fault(`“${text}” cannot hold itself; a pointer to it can stand here.`, start, end);
    const why = later ? `“${text}” is declared only further down: move it up.` : `There is no type “${text}”.`;
    return new Fault(why, start, end);
  }

  /** Goes into a struct; `leave` goes out of it. */
  enter(token: Token): void {
    if (this.nesting >= FORMAT_LIMITS.nesting) {
      throw new Fault(`At most ${FORMAT_LIMITS.nesting} levels can be nested.`, token.start, token.end);
    }
    this.nesting++;
  }

  leave(): void {
    this.nesting--;
  }

  /** One more field, of those that a format may have. */
  add(drafts: Draft[], draft: Draft): void {
    if (this.fieldCount >= FORMAT_LIMITS.fields) {
      throw new Fault(`A format has at most ${FORMAT_LIMITS.fields} fields.`, draft.token.start, draft.token.end);
    }
    this.fieldCount++;
    drafts.push(draft);
  }

  /** At the end of the text it may be missing. */
  semicolon(where: string): void {
    if (this.reader.peek().kind !== 'end') this.reader.expect(';', where);
  }

  /** Reads the attributes that stand here into `into`. */
  attributes(into: Attributes): void {
    readAttributes(this.reader, into, () => this.constant());
  }

  /** A whole number that needs no field. */
  constant(): bigint {
    const { start } = this.reader.peek();
    const expression = this.expression(new Set());
    if (expression.kind === 'number') return expression.value;
    const [name] = fieldsIn(expression);
    throw new Fault(`“${name}” is not known here.`, start, this.reader.previous.end);
  }

  /** A constant that is an offset or a count. */
  count(what: string): number {
    const { start } = this.reader.peek();
    const value = this.constant();
    if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new Fault(`${what} is 0 to 2^53 - 1.`, start, this.reader.previous.end);
    }
    return Number(value);
  }

  /** A whole number in which fields of `scope` may be named. */
  expression(scope: ReadonlySet<string>): Expression {
    const context = { scope, constants: this.constants, sizeOf: () => this.sizeOf() };
    return new ExpressionReader(this.reader, context).read();
  }

  private sizeOf(): bigint {
    const { reader } = this;
    reader.expect('(', 'after sizeof');
    const { start } = reader.peek();
    let type = this.readType();
    while (reader.take('*')) type = pointerTo(type);
    reader.expect(')', 'after the type');
    if (type.size === undefined) throw new Fault('It has no fixed size.', start, reader.previous.start);
    return BigInt(type.size);
  }
}
