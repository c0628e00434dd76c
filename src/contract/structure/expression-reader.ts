/** Reads expressions of whole numbers, and works out at once what needs no memory. */
import { combine, NoValue } from './expression';
import { Fault, type TokenReader } from './token-reader';
import { numberOf, type Token } from './tokens';
import type { BinaryOperator, Expression } from './types';

/** Binary operators, the ones that bind least first. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/', '%']];
const MAX_OPERATIONS = 64;
const WHERE_NUMBERS = 'constants, members of enums and whole-number fields further up in the same struct can be named';

export interface ExpressionContext {
  /** Fields that may be named: their numbers stand in memory. */
  readonly scope: ReadonlySet<string>;
  readonly constants: ReadonlyMap<string, bigint>;
  /** Reads what stands behind `sizeof`. */
  readonly sizeOf: () => bigint;
}

/** Reads one expression; throws Fault. */
export class ExpressionReader {
  private operations = 0;

  constructor(
    private readonly reader: TokenReader,
    private readonly context: ExpressionContext,
  ) {}

  read(): Expression {
    return this.level(0);
  }

  private level(index: number): Expression {
    const operators = LEVELS[index];
    if (operators === undefined) return this.unary();
    let left = this.level(index + 1);
    for (;;) {
      const operator = operators.find((candidate) => this.reader.is(candidate));
      if (operator === undefined) return left;
      const token = this.reader.next();
      this.operation(token);
      const right = this.level(index + 1);
      if (left.kind === 'number' && right.kind === 'number') {
        try {
          left = { kind: 'number', value: combine(operator, left.value, right.value) };
        } catch (error) {
          if (!(error instanceof NoValue)) throw error;
          throw new Fault(error.message, token.start, this.reader.previous.end);
        }
      } else left = { kind: 'binary', operator, left, right };
    }
  }

  private operation({ start, end }: Token): void {
    if (++this.operations > MAX_OPERATIONS) {
      throw new Fault(`An expression has at most ${MAX_OPERATIONS} operations.`, start, end);
    }
  }

  private unary(): Expression {
    const { reader } = this;
    const { scope, constants } = this.context;
    const token = reader.peek();
    for (const operator of ['-', '~'] as const) {
      if (!reader.take(operator)) continue;
      this.operation(token);
      const operand = this.unary();
      if (operand.kind !== 'number') return { kind: 'unary', operator, operand };
      return { kind: 'number', value: operator === '-' ? -operand.value : ~operand.value };
    }
    if (reader.take('(')) {
      this.operation(token);
      const inner = this.level(0);
      reader.expect(')', 'to close the bracket');
      return inner;
    }
    if (token.kind === 'number') {
      reader.next();
      const value = numberOf(token.text);
      if (value === undefined) throw new Fault(`“${token.text}” is no number.`, token.start, token.end);
      if (value >= 1n << 64n) throw new Fault('The number is too large.', token.start, token.end);
      return { kind: 'number', value };
    }
    if (token.kind === 'character') {
      reader.next();
      return { kind: 'number', value: BigInt(token.text.codePointAt(0) ?? 0) };
    }
    if (reader.take('sizeof')) return { kind: 'number', value: this.context.sizeOf() };
    if (token.kind !== 'name') throw reader.unexpected('a number');
    reader.next();
    if (scope.has(token.text) && !reader.is('::')) return { kind: 'field', name: token.text };
    let name = token.text;
    if (reader.take('::')) name = `${name}::${reader.name('a member').text}`;
    const value = constants.get(name);
    if (value !== undefined) return { kind: 'number', value };
    throw new Fault(`There is no number “${name}” here: ${WHERE_NUMBERS}.`, token.start, reader.previous.end);
  }
}
