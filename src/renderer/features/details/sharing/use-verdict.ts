import { useState } from 'react';
import type { Verdict } from '#contract/calls/sharing';
import { type IpcError, toIpcError } from '#contract/result';
import { request } from '../../../lib/api';

export type VerdictQuestion = { readonly id: string } | { readonly address: string; readonly processId: string };

interface Asked {
  readonly busy: boolean;
  readonly verdict: Verdict | undefined;
  readonly error: IpcError | undefined;
  /** When the answer came, in milliseconds since 1970. */
  readonly at: number;
}

/** A verdict, asked only when told to: it makes driver calls, and those that are refused are in the call log. */
export function useVerdict(): Asked & { readonly ask: (question: VerdictQuestion) => Promise<void> } {
  const [asked, setAsked] = useState<Asked>({ busy: false, verdict: undefined, error: undefined, at: 0 });
  const ask = async (question: VerdictQuestion) => {
    setAsked((before) => ({ ...before, busy: true, error: undefined }));
    try {
      const verdict = await request('sharing.verdict', question);
      setAsked({ busy: false, verdict, error: undefined, at: Date.now() });
    } catch (thrown) {
      setAsked({ busy: false, verdict: undefined, error: toIpcError(thrown), at: Date.now() });
    }
  };
  return { ...asked, ask };
}
