/** Which form a text has, by its first signs. */
import type { HandleForm } from './forms';
import { FROMHEX } from './hex';
import { unquoted } from './problem';

const PYTHON = /^\s*(?:(?:bytes|bytearray)\s*\(\s*)?[bB]['"]/;
const BRACED = /\{/;
const BRACKETED = /^\s*(?:(?:bytes|bytearray)\s*\(\s*)?\[/;
const LISTED = /^\s*-?(?:0[xX][0-9a-fA-F]{1,2}|\d{1,3})\s*,/;

/** Which reader a text is for; undefined when it looks like none. */
export function recognise(text: string): HandleForm | undefined {
  if (PYTHON.test(text)) return 'python-bytes';
  if (FROMHEX.test(text)) return 'hex';
  if (BRACED.test(text)) return /\bbyte\s*\[/i.test(text.slice(0, text.indexOf('{'))) ? 'csharp-array' : 'c-array';
  if (BRACKETED.test(text)) return 'json-array';
  if (LISTED.test(text)) return 'c-array';
  if (text.includes('\\x')) return 'hex';
  const inner = unquoted(text).text;
  if (/^(?:0[xX](?=[0-9a-fA-F])|[\s0-9a-fA-F:-])+$/.test(inner)) return /[0-9a-fA-F]/.test(inner) ? 'hex' : undefined;
  // One wrong character in a long hex text must not turn it into base64 of a wrong length.
  const digits = inner.match(/[0-9a-fA-F]/g)?.length ?? 0;
  const solid = inner.replace(/\s/g, '').length;
  if (solid > 96 && digits >= solid * 0.8) return 'hex';
  // Words are short; base64 is one run, or lines of one length.
  const longest = Math.max(...inner.split(/\s+/).map((run) => run.length));
  const fitting = inner.match(/[A-Za-z0-9+/_=-]/g)?.length ?? 0;
  return longest >= 16 && fitting >= solid * 0.9 ? 'base64' : undefined;
}
