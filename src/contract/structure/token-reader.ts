/** A cursor over tokens, and the problems that were found on the way. */
import { type Token, tokenize } from './tokens';
import { FORMAT_LIMITS, type Problem } from './types';

/** Ends the reading of one declaration; the reader goes on behind it. */
export class Fault extends Error {
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(message);
  }
}

export class TokenReader {
  private readonly tokens: readonly Token[];
  private at = 0;
  /** How many braces are open. */
  depth = 0;
  private readonly found: Problem[] = [];

  constructor(readonly text: string) {
    this.tokens = tokenize(text);
  }

  // ---------------------------------------------------------------- tokens

  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)] as Token;
  }

  next(): Token {
    const token = this.peek();
    if (this.at < this.tokens.length - 1) this.at++;
    if (token.kind === 'sign' && token.text === '{') this.depth++;
    if (token.kind === 'sign' && token.text === '}') this.depth = Math.max(0, this.depth - 1);
    return token;
  }

  /** The last token that was taken. */
  get previous(): Token {
    return this.tokens[Math.max(0, this.at - 1)] as Token;
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return (token.kind === 'sign' || token.kind === 'name' || token.kind === 'directive') && token.text === text;
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.next();
    return true;
  }

  expect(text: string, where: string): Token {
    if (this.is(text)) return this.next();
    throw this.unexpected(`“${text}” ${where}`);
  }

  /** A name that is none of the language's words. */
  name(what: string): Token {
    const token = this.peek();
    if (token.kind !== 'name') throw this.unexpected(what);
    if (token.text.length > FORMAT_LIMITS.nameLength) {
      throw new Fault(`A name has at most ${FORMAT_LIMITS.nameLength} characters.`, token.start, token.end);
    }
    return this.next();
  }

  /** `[[`: two brackets side by side. */
  atAttributes(): boolean {
    return this.is('[') && this.is('[', 1) && this.peek().end === this.peek(1).start;
  }

  unexpected(wanted: string): Fault {
    const { kind, text, start, end } = this.peek();
    if (kind === 'end') return new Fault(`The text ends where ${wanted} is expected.`, start, end);
    if (kind === 'wrong' && text === '/*') return new Fault('This comment has no end.', start, end);
    if (kind === 'wrong' && (text === '"' || text === "'")) return new Fault('This quote has no end.', start, end);
    const shown = kind === 'string' ? 'a text' : `“${text.length > 24 ? `${text.slice(0, 24)}…` : text}”`;
    return new Fault(`Expected ${wanted}, found ${shown}.`, start, end);
  }

  /** Goes behind the next semicolon with `depth` braces open, or to the brace that closes one of these. */
  recover(depth: number): void {
    for (;;) {
      if (this.peek().kind === 'end') return;
      if (this.depth <= depth && this.is('}')) return;
      const { kind, text } = this.next();
      if (kind !== 'sign' || this.depth > depth) continue;
      if (text === ';' || (text === '}' && !this.is(';'))) return;
    }
  }

  // ---------------------------------------------------------------- problems

  get problems(): readonly Problem[] {
    return this.found;
  }

  get full(): boolean {
    return this.found.length >= FORMAT_LIMITS.problems;
  }

  report({ message, start, end }: { message: string; start: number; end: number }): void {
    if (this.full || this.found.some((other) => other.start === start && other.message === message)) return;
    const before = this.text.slice(0, start);
    const line = before.split('\n').length;
    const column = start - (before.lastIndexOf('\n') + 1) + 1;
    this.found.push({ message, start, end: Math.max(end, start), line, column });
  }
}
