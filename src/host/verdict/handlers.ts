/** The calls of checks, verdicts and trials, as main makes them on a host. */
import type { TrialCalls } from '#contract/trial-protocol';
import type { Anatomy } from '../anatomy';
import type { Devices } from '../devices';
import type { HostState } from '../host-state';
import { askVerdict } from './ask';
import { Trials } from './trials';

type Answer<T> = T | Promise<T>;

export type VerdictHandlers = {
  readonly [C in keyof TrialCalls]: (args: TrialCalls[C]['args']) => Answer<TrialCalls[C]['value']>;
};

export function verdictHandlers(host: HostState, devices: Devices, anatomy: Anatomy): VerdictHandlers {
  const trials = new Trials(host);
  return {
    'handles.layout': async () => ({ holds: await anatomy.layoutHolds() }),
    'sharing.verdict': (args) => askVerdict(host, (ordinal) => devices.sharing(ordinal), args),
    'trial.export': (args) => trials.export(args),
    'trial.offer': (args) => trials.offer(args),
    'trial.open': (args) => trials.open(args),
    'trial.checksum': (args) => trials.checksum(args),
    'trial.end': (args) => trials.end(args),
  };
}
