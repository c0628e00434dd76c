import { useEffect, useState } from 'react';
import { MAX_PASTE, type PastedItem } from '#contract/calls/handles';
import { toIpcError } from '#contract/result';
import { request } from '../../../lib/api';
import { useSettled } from './use-settled';

export interface Parsed {
  /** The text that was read; what is typed since then is not in it yet. */
  readonly text: string;
  readonly items: readonly PastedItem[];
  readonly problems: ReadonlyArray<{ readonly message: string; readonly start: number; readonly end: number }>;
}

const SETTLE_MS = 120;
const nothing: Parsed = { text: '', items: [], problems: [] };

/** What main finds in a text. An older answer never replaces a newer one. */
export function useParsed(text: string): Parsed {
  const settled = useSettled(text, SETTLE_MS);
  const [parsed, setParsed] = useState<Parsed>(nothing);
  useEffect(() => {
    if (settled.trim() === '') return setParsed({ ...nothing, text: settled });
    if (settled.length > MAX_PASTE) {
      const message = 'This text is too long: it has more than 1 MiB.';
      return setParsed({ text: settled, items: [], problems: [{ message, start: MAX_PASTE, end: settled.length }] });
    }
    let current = true;
    request('handles.parse', { text: settled }).then(
      (found) => current && setParsed({ text: settled, ...found }),
      (thrown) => {
        const problem = { message: toIpcError(thrown).message, start: 0, end: settled.length };
        if (current) setParsed({ text: settled, items: [], problems: [problem] });
      },
    );
    return () => {
      current = false;
    };
  }, [settled]);
  return parsed;
}
