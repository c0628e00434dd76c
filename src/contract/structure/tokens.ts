/** Splits a format text into tokens. Comments and blanks vanish; nothing throws. */

export type TokenKind = 'name' | 'number' | 'string' | 'character' | 'sign' | 'directive' | 'end' | 'wrong';

export interface Token {
  readonly kind: TokenKind;
  /** As it stands in the text; of strings and characters what is between the quotes, with escapes replaced. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A comment without its end reaches to the end of the text: each character is looked at once. */
const BLANK = /\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
/** `#include`, `#pragma`, `#define N 4`: the rest of the line belongs to it. */
const DIRECTIVE = /#[a-zA-Z_]+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Digits with separators, and C's suffixes. */
const NUMBER = /(?:0[xX][0-9a-fA-F_']+|0[bB][01_']+|0[oO][0-7_']+|[0-9][0-9_']*)(?:[uUlL]{0,3})(?![A-Za-z0-9_.])/y;
const WRONG_NUMBER = /[0-9][A-Za-z0-9_.']*/y;
const STRING = /"((?:[^"\\\n]|\\.)*)"/y;
const CHARACTER = /'((?:[^'\\\n]|\\.[0-9a-fA-F]?))'/y;
const SIGN = /::|<<|>>|[{}[\]();:,=+\-*/%&|^~@.<>]/y;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };
const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);

/** The tokens of the text, the last one of kind `end`. Characters that begin no token are of kind `wrong`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const push = (kind: TokenKind, found: RegExpExecArray, value = found[0]): void => {
    tokens.push({ kind, text: value, start: at, end: at + found[0].length });
    at += found[0].length;
  };
  while (at < text.length) {
    let found = match(BLANK);
    if (found !== null) {
      const [blank] = found;
      if (blank.startsWith('/*') && (blank.length < 4 || !blank.endsWith('*/'))) {
        tokens.push({ kind: 'wrong', text: '/*', start: at, end: at + 2 });
      }
      at += blank.length;
      continue;
    }
    found = match(DIRECTIVE);
    if (found !== null) {
      push('directive', found);
      continue;
    }
    found = match(NAME);
    if (found !== null) {
      push('name', found);
      continue;
    }
    found = match(NUMBER);
    if (found !== null) {
      push('number', found);
      continue;
    }
    found = match(STRING);
    if (found !== null) {
      push('string', found, unescaped(found[1] ?? ''));
      continue;
    }
    found = match(CHARACTER);
    if (found !== null) {
      push('character', found, unescaped(found[1] ?? ''));
      continue;
    }
    found = match(SIGN);
    if (found !== null) {
      push('sign', found);
      continue;
    }
    found = match(WRONG_NUMBER);
    if (found !== null) {
      push('wrong', found);
      continue;
    }
    const length = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    tokens.push({ kind: 'wrong', text: text.slice(at, at + length), start: at, end: at + length });
    at += length;
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length });
  return tokens;
}

/** The number of a `number` token: `1_000u`, `0x40`, `0b101`, and octal as C writes it, `0777`. */
export function numberOf(text: string): bigint | undefined {
  const digits = text.replace(/[uUlL]+$/, '').replace(/[_']/g, '');
  if (digits.length > 80) return undefined;
  try {
    if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
    return BigInt(digits);
  } catch {
    return undefined;
  }
}
