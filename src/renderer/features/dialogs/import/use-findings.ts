import type { CallArgs } from '#contract/calls';
import type { Finding } from '#contract/calls/handles';
import { request } from '../../../lib/api';
import { useAnswer } from '../../../lib/use-answer';
import { useSettled } from './use-settled';

export type CheckArgs = CallArgs<'handles.check'>;

const SETTLE_MS = 150;

/** What is known of an import before it is made; empty until known. `undefined` asks nothing. */
export function useFindings(args: CheckArgs | undefined): readonly Finding[] {
  const key = args === undefined ? undefined : keyOf(args);
  const settled = useSettled(key, SETTLE_MS);
  const answer = useAnswer(settled === key ? key : undefined, async () =>
    args === undefined ? { findings: [] } : request('handles.check', args),
  );
  return answer.value?.findings ?? [];
}

export const keyOf = (args: CheckArgs): string =>
  JSON.stringify(args, (_, value) => (value instanceof Uint8Array ? [...value] : value));
