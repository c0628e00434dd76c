/** Whole numbers as expressions: what they come to, given the fields that they name. */
import type { BinaryOperator, Expression } from './types';

/** Why an expression has no value. */
export class NoValue extends Error {}

/** Nothing anybody means is larger; keeps numbers from eating memory. */
const LIMIT = 1n << 64n;

/**
 * The value of an expression. `field` gives the value of a field, or throws NoValue. Throws NoValue for a division by
 * zero, a shift that is not 0 to 64, and values of 2^64 and more.
 */
export function evaluate(expression: Expression, field: (name: string) => bigint): bigint {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'field':
      return field(expression.name);
    case 'unary': {
      const value = evaluate(expression.operand, field);
      return expression.operator === '-' ? -value : ~value;
    }
    case 'binary':
      return combine(expression.operator, evaluate(expression.left, field), evaluate(expression.right, field));
  }
}

/** One operation of two numbers, as `evaluate` does it. */
export function combine(operator: BinaryOperator, left: bigint, right: bigint): bigint {
  const value = apply(operator, left, right);
  if (value >= LIMIT || value <= -LIMIT) throw new NoValue('The number is too large.');
  return value;
}

function apply(operator: BinaryOperator, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
    case '%':
      if (right === 0n) throw new NoValue('Nothing can be divided by zero.');
      return operator === '/' ? left / right : left % right;
    case '<<':
    case '>>':
      if (right < 0n || right > 64n) throw new NoValue('A shift is by 0 to 64 bits.');
      return operator === '<<' ? left << right : left >> right;
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
  }
}

/** The names of the fields in it. */
export function fieldsIn(expression: Expression): string[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'field':
      return [expression.name];
    case 'unary':
      return fieldsIn(expression.operand);
    case 'binary':
      return [...fieldsIn(expression.left), ...fieldsIn(expression.right)];
  }
}
