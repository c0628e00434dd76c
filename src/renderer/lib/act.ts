/** Runs something a person asked for, and shows its failure instead of losing it. */
import { toIpcError } from '#contract/result';
import { announce } from './announce';
import { reportFailure } from './notices';

/**
 * Awaits `action`. On success announces `done`, when given, and answers the value; on failure shows a notice that names
 * `doing`, and answers undefined.
 */
export async function act<T>(doing: string, action: () => Promise<T>, done?: string): Promise<T | undefined> {
  try {
    const value = await action();
    if (done !== undefined) announce(done);
    return value;
  } catch (thrown) {
    reportFailure(doing, toIpcError(thrown));
    return undefined;
  }
}
