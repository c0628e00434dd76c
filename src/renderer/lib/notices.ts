/** Failures that happened somewhere without a place of their own for them. They stay until dismissed. */
import { create } from 'zustand';
import type { IpcError } from '#contract/result';
import { announce } from './announce';

export interface FailureNotice {
  readonly key: number;
  /** What was tried, as a command: `Free activations`. */
  readonly doing: string;
  readonly error: IpcError;
  /** How often the same failure happened in a row. */
  readonly times: number;
}

const MOST = 5;
let nextKey = 1;

export const useNotices = create<{ readonly notices: readonly FailureNotice[] }>(() => ({ notices: [] }));

export function reportFailure(doing: string, error: IpcError): void {
  announce(`${doing} failed. ${error.message}`);
  useNotices.setState(({ notices }) => {
    const last = notices.at(-1);
    if (last !== undefined && last.doing === doing && last.error.message === error.message) {
      return { notices: [...notices.slice(0, -1), { ...last, times: last.times + 1 }] };
    }
    return { notices: [...notices, { key: nextKey++, doing, error, times: 1 }].slice(-MOST) };
  });
}

export function dismissNotice(key: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.key !== key) }));
}
