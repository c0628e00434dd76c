/** What libraries printed in real runs: see e2e/interop-printed.spec.ts, which makes them print it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePaste } from './parse-paste';
import type { PastedItem } from './types';

interface Printed {
  readonly library: string;
  readonly what: string;
  readonly text: string;
  /** What must be found; `hex`: the 64 bytes. */
  readonly items?: readonly (Partial<PastedItem> & { readonly hex: string })[];
  /** Or what must be said instead. */
  readonly problem?: string;
}

const outputs = JSON.parse(
  readFileSync(new URL('./testing/library-output.json', import.meta.url), 'utf8'),
) as readonly Printed[];

describe.each(outputs)('$library: $what', ({ text, items = [], problem }) => {
  it('is read as it was printed', () => {
    const pasted = parsePaste(text);
    expect(pasted.items).toHaveLength(items.length);
    for (const [index, { hex, ...said }] of items.entries()) {
      const item = pasted.items[index];
      expect(Buffer.from(item?.handle ?? []).toString('hex')).toBe(hex);
      expect(item).toMatchObject(said);
    }
    if (problem === undefined) expect(pasted.problems).toEqual([]);
    else expect(pasted.problems.map(({ message }) => message).join()).toContain(problem);
  });
});
