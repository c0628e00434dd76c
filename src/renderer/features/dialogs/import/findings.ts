/** What is known to be wrong before an import, and whether it may be tried all the same. Pure. */
import type { Finding } from '#contract/calls/handles';

/**
 * What the driver does not refuse although it cannot be: it ends the process's GPU context, or the process. Never tried.
 * What cannot be read has nothing to try.
 */
const neverTried: readonly string[] = ['out-of-block', 'out-of-table', 'no-handle', 'no-descriptor'];

export const refusals = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ level }) => level === 'refuse');

/** Whether trying does no harm: the driver's own refusal is the worst that comes of it. */
export const mayBeTried = (findings: readonly Finding[]): boolean =>
  refusals(findings).every(({ code }) => !neverTried.includes(code));

/** Whether the button has to wait. `anyway`: a person wants the driver's own answer. */
export const blocks = (findings: readonly Finding[], anyway: boolean): boolean =>
  refusals(findings).length > 0 && !(anyway && mayBeTried(findings));
