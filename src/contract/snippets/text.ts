/** Putting pieces of code together, and covering the secret in them. */

/** Blocks of code one under the other, an empty line between them; empty and undefined ones are left out. */
export const blocks = (...parts: readonly (string | undefined | false)[]): string =>
  parts
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .map((part) => part.replace(/^\n+|\s+$/g, ''))
    .join('\n\n');

/** The same without empty lines between. */
export const lines = (...parts: readonly (string | undefined | false)[]): string =>
  parts
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .map((part) => part.replace(/^\n+|\s+$/g, ''))
    .join('\n');

/** Definitions, and what comes after them: two empty lines between, as Python has it. */
export const definitions = (...parts: readonly (string | undefined | false)[]): string =>
  parts
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .map((part) => part.trim())
    .join('\n\n\n');

/** Every line that is not empty moved to the right by `by` spaces. */
export const indent = (code: string, by = 4): string => code.replace(/^(?=.)/gm, ' '.repeat(by));

/** Prose as comment lines of at most 100 characters. */
export function comment(mark: '#' | '//', text: string): string {
  const found: string[] = [];
  let line = mark;
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > 100 && line !== mark) {
      found.push(line);
      line = mark;
    }
    line += ` ${word}`;
  }
  return [...found, line].join('\n');
}

const MASK = '••••';

/**
 * The code with the 64 bytes of each handle covered: for showing it, never for running it. Handles stand alone in their
 * lines, as 128 hexadecimal digits in quotes.
 */
export const maskHandle = (code: string): string => code.replace(/"[0-9a-f]{128}"/g, `"${MASK}"`);
