/** Lines of the preprocessor. */
import { type ParseState, spanOf } from './state';

/** `#define NAME 4` is a constant; `#include` and `#pragma once` say nothing here. */
export function readDirective(state: ParseState): void {
  const { reader } = state;
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
  const value = state.constant();
  if (reader.peek().kind !== 'end' && reader.peek().start < lineEnd) throw reader.unexpected('the end of the line');
  state.constants.set(name.text, value);
}
