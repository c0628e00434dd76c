/** Requests of a trial: typed, with a deadline. */
import type { IpcError, Result } from '#contract/result';
import { GpuIpcError } from '#contract/result';
import type { TrialCalls } from '#contract/trial-protocol';
import type { DriverHost } from '../hosts/driver-host';

/** What is needed of a host. */
export type TrialHost = Pick<DriverHost, 'request'>;

/**
 * Asks one side of a trial.
 * @param who  for the message: `The importer`
 * @param late  gets an answer that comes after the deadline: what was made then has to be let go of all the same
 * @throws GpuIpcError of the host; `host-lost` when it has ended or does not answer in time
 */
export async function askWithin<C extends keyof TrialCalls>(
  ms: number,
  who: string,
  host: TrialHost,
  name: C,
  args: TrialCalls[C]['args'],
  late?: (value: TrialCalls[C]['value']) => void,
): Promise<TrialCalls[C]['value']> {
  const asked = host.request(name, args as never) as Promise<Result<TrialCalls[C]['value']>>;
  const result = await within(ms, asked, () => tooLate(who, ms)).catch((thrown: unknown) => {
    void asked.then((answer) => answer.ok && late?.(answer.value));
    throw thrown;
  });
  if (result.ok) return result.value;
  throw new GpuIpcError(result.error.code === 'host-lost' ? hasEnded(who) : result.error);
}

/** Of a trial two processes are asked: which of them it was has to be said. */
export const hasEnded = (who: string): IpcError => ({
  code: 'host-lost',
  message: `${who} ended before the trial did.`,
  hint: 'That says nothing of whether the memory can be shared. Try again.',
});

/** Rejects when a promise takes longer. */
export async function within<T>(ms: number, promise: Promise<T>, error: () => IpcError): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new GpuIpcError(error())), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = (who: string, ms: number): IpcError => ({
  code: 'host-lost',
  message: `${who} did not answer within ${ms / 1000} s: a driver call does not return.`,
  hint: 'What the trial made is let go of. Look at the process that has the memory: it may be hanging too.',
});
