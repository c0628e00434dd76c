/**
 * What a failed driver call means and what to do: a pure function from the call, its result and what is known about
 * the situation. The rules are in hints/, by area of the driver, and stand in order; the first that applies answers.
 * Causes are from measurements on a real driver (docs/driver-facts.md) and from public reports (the comment names them
 * where a report is the only source).
 *
 * The driver finds the exporter of memory by a number that only it knows, and looks at the pid of a handle only to refuse
 * its own process's. So `exporter`, which comes from that pid, explains a result and never stands against one:
 * INVALID_HANDLE means that the driver knows no such exporter, INVALID_VALUE that it knows it and not the memory.
 */
import { contextRules } from './hints/contexts';
import { eventRules } from './hints/events';
import { ipcRules } from './hints/ipc';
import { memoryRules } from './hints/memory';
import { poolRules } from './hints/pools';
import { appliesTo, type Rule, type Situation } from './hints/rule';
import { virtualMemoryRules } from './hints/virtual-memory';

/** All rules. Areas come first: what they say of a result is more than what holds for every call. */
export const rules: readonly Rule[] = [
  ...ipcRules,
  ...poolRules,
  ...virtualMemoryRules,
  ...memoryRules,
  ...eventRules,
  ...contextRules,
];

/**
 * The sentence that goes with a failed call.
 * @param call exported symbol: `cuIpcOpenMemHandle_v2`
 * @param result CUresult; 0 and NOT_READY (600, which is waiting) have no hint
 * @returns undefined when nothing is known that helps
 */
export function hintFor(call: string, result: number, situation: Situation = {}): string | undefined {
  const rule = rules.find((candidate) => appliesTo(candidate, call, result) && (candidate.when?.(situation) ?? true));
  return typeof rule?.say === 'function' ? rule.say(situation) : rule?.say;
}
