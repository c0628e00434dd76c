import { useState } from 'react';
import { type IpcError, toIpcError } from '#contract/result';

export interface Submit {
  readonly busy: boolean;
  /** Why the last attempt failed; shown inside the dialog. */
  readonly error: IpcError | undefined;
  /** Somebody has tried: problems of empty fields are shown from now on. */
  readonly tried: boolean;
  /** Runs `action` when the form is `valid`; one at a time. */
  readonly submit: (valid: boolean, action: () => Promise<void>) => void;
}

/** The life of a form's button: tried, busy, failed. */
export function useSubmit(): Submit {
  const [state, setState] = useState<{ busy: boolean; tried: boolean; error: IpcError | undefined }>({
    busy: false,
    tried: false,
    error: undefined,
  });
  const submit = (valid: boolean, action: () => Promise<void>) => {
    if (state.busy) return;
    setState({ busy: valid, tried: true, error: undefined });
    if (!valid) return;
    action().then(
      () => setState((before) => ({ ...before, busy: false })),
      (thrown) => setState((before) => ({ ...before, busy: false, error: toIpcError(thrown) })),
    );
  };
  return { ...state, submit };
}
