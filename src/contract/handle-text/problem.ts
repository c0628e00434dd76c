/** How the readers say that a text makes no sense from some place on. */

/** Ends a reading; never leaves the readers. */
export class Problem extends Error {
  constructor(
    readonly problem: string,
    readonly position: number,
  ) {
    super(problem);
  }
}

/** What the readers give. */
export interface Bytes {
  readonly bytes: number[];
  /** Where the text after the last byte begins, for a problem with the number of bytes. */
  readonly end: number;
}

/** The text inside one pair of quotes, if it is in one, and where it begins. */
export function unquoted(text: string): { text: string; start: number } {
  const quoted = /^\s*(['"`])([\s\S]*)\1\s*[;,]?\s*$/.exec(text);
  return quoted ? { text: quoted[2] as string, start: text.indexOf(quoted[1] as string) + 1 } : { text, start: 0 };
}

/** A piece of the text for a sentence, shortened. */
export const quote = (text: string): string => `“${text.length > 12 ? `${text.slice(0, 12)}…` : text}”`;
