/**
 * What a run of the conformance steps found, step by step, and what was expected: the measured facts in
 * driver-behaviour.json, and for calls beyond them recorded.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Outcome } from './peer-client';

export interface ExpectedStep {
  readonly step: string;
  readonly result: string;
  readonly note?: string;
  /** Statements about values that do not hold on the driver that was measured; all others do. */
  readonly not?: readonly string[];
  /** False while the expectation comes from the documentation and not yet from a real driver. */
  readonly measured?: boolean;
}
export interface ExpectedGroup {
  readonly group: string;
  readonly setup?: string;
  readonly steps: readonly ExpectedStep[];
}

/** What happened in one step. */
export interface Found {
  /** CUresult names; more than one when the step stands for several calls. */
  readonly results: readonly string[];
  /** What the step's note says about values, and whether it held. */
  readonly checks: Readonly<Record<string, boolean>>;
  readonly detail: string;
}

const json = (name: string) => JSON.parse(readFileSync(resolve(import.meta.dirname, name), 'utf8'));

export const facts: {
  readonly measured_on: string;
  readonly groups: readonly ExpectedGroup[];
  readonly pointerAttributes: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly (string | number)[])[];
  };
} = json('driver-behaviour.json');

export const recorded: { readonly groups: readonly ExpectedGroup[] } = json('recorded.json');

/** Collects the steps of one group. A step name may come twice (two closes in a row): they are kept in order. */
export class Steps {
  readonly #found = new Map<string, Found>();
  readonly #skipped = new Map<string, string>();
  readonly #times = new Map<string, number>();

  /** Records a step with its outcome or outcomes. */
  record(
    step: string,
    outcomes: Outcome<unknown> | readonly Outcome<unknown>[],
    checks: Readonly<Record<string, boolean>> = {},
  ): void {
    const all = Array.isArray(outcomes) ? (outcomes as readonly Outcome<unknown>[]) : [outcomes as Outcome<unknown>];
    if (all.length > 0 && all.every(({ result }) => result === 'MISSING')) {
      this.skip(step, all[0]?.detail ?? 'the driver has no such function');
      return;
    }
    const results = [...new Set(all.map(({ result }) => result))];
    const detail = all.map(({ detail: words }) => words).find((words) => words !== undefined) ?? '';
    this.#found.set(this.#key(step), { results, checks, detail });
  }

  /** Records that a step cannot be run here. */
  skip(step: string, reason: string): void {
    this.#skipped.set(this.#key(step), reason);
  }

  found(step: string, nth: number): Found | undefined {
    return this.#found.get(`${step}#${nth}`);
  }

  skipped(step: string, nth: number): string | undefined {
    return this.#skipped.get(`${step}#${nth}`);
  }

  /** Every step with a result, in the order in which they ran. */
  all(): { step: string; found: Found }[] {
    return [...this.#found].map(([key, found]) => ({ step: key.replace(/#\d+$/, ''), found }));
  }

  #key(step: string): string {
    const nth = this.#times.get(step) ?? 0;
    this.#times.set(step, nth + 1);
    return `${step}#${nth}`;
  }
}

/** One line of the table at the end. */
export interface Line {
  readonly group: string;
  readonly step: string;
  readonly expected: string;
  readonly found: string;
  readonly verdict: 'same' | 'different' | 'skipped';
}

const short = (result: string): string => result.replace(/^CUDA_(ERROR_)?/, '');

/** Compares a step with its expectation, in words. */
export function compare(group: string, expected: ExpectedStep, steps: Steps, nth: number): Line {
  const base = { group, step: expected.step, expected: short(expected.result) };
  const reason = steps.skipped(expected.step, nth);
  if (reason !== undefined) return { ...base, found: reason, verdict: 'skipped' };
  const found = steps.found(expected.step, nth);
  if (found === undefined) return { ...base, found: 'not reached', verdict: 'different' };
  const broken = Object.entries(found.checks)
    .filter(([what, held]) => held === (expected.not ?? []).includes(what))
    .map(([what, held]) => (held ? what : `not: ${what}`));
  const said = [...found.results.map(short), ...broken, ...(found.detail === '' ? [] : [found.detail])].join('; ');
  const same = found.results.join(', ') === expected.result && broken.length === 0;
  return { ...base, found: said, verdict: same ? 'same' : 'different' };
}

/** The table in Markdown, for people and for docs/verified.md. */
export function table(lines: readonly Line[]): string {
  const count = (verdict: Line['verdict']) => lines.filter((line) => line.verdict === verdict).length;
  const rows = lines.map(
    ({ group, step, expected, found, verdict }) => `| ${group} | ${step} | ${expected} | ${found} | ${verdict} |`,
  );
  return [
    `${lines.length} steps: ${count('same')} as expected, ${count('different')} different, ${count('skipped')} skipped`,
    '',
    '| group | step | expected | found | |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/**
 * Writes what the groups beyond the facts found, in the form of recorded.json. Run on a real driver with
 * GPU_IPC_RECORD=FILE, it makes expectations measured; copy the file over recorded.json then.
 */
export function writeRecord(file: string, groups: ReadonlyMap<string, Steps>, measured: boolean, on: string): void {
  const record = {
    note: 'Expectations beyond driver-behaviour.json. measured: false: no real driver has confirmed it yet.',
    measured_on: measured ? on : null,
    groups: [...groups].map(([group, steps]) => ({
      group,
      steps: steps.all().map(({ step, found }) => {
        const not = Object.keys(found.checks).filter((what) => found.checks[what] === false);
        return { step, result: found.results.join(', '), ...(not.length === 0 ? {} : { not }), measured };
      }),
    })),
  };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}
