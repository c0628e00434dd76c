/**
 * The simulator against a real driver: the probe's steps, answered by the simulator here and by a GPU when
 * probe/measured.tsv was recorded. Every difference has to be listed with its reason.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildNative, NATIVE_FILES } from '../../scripts/native-build.mjs';

const run = promisify(execFile);

interface Answer {
  readonly result: string;
  readonly detail: string;
}
/** By step, and by how often it came before: `group/step#0`. */
type Answers = ReadonlyMap<string, Answer>;

interface Difference {
  readonly step: string;
  readonly what: 'result' | 'detail';
  readonly measured: string;
  readonly simulator: string;
}

const lines = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));

const file = (name: string): string => readFileSync(join(import.meta.dirname, 'probe', name), 'utf8');

function answersIn(text: string): Answers {
  const times = new Map<string, number>();
  const answers = new Map<string, Answer>();
  for (const [step = '', result = '', detail = ''] of lines(text)) {
    const nth = times.get(step) ?? 0;
    times.set(step, nth + 1);
    answers.set(`${step}#${nth}`, { result, detail });
  }
  return answers;
}

async function probe(limitMs: number, groups: readonly string[] = []): Promise<Answers> {
  const env = {
    ...process.env,
    // As many as the machine had that was measured.
    GPU_IPC_SIM_DEVICES: '2',
    // Memory is counted apart from whatever else runs here.
    GPU_IPC_SIM_MACHINE: `probe-${process.pid}`,
    // What hangs, hangs for ever; a real driver is given more time.
    DRIVER_PROBE_LIMIT_MS: String(limitMs),
  };
  const { stdout } = await run(NATIVE_FILES.probe, [NATIVE_FILES.simulator, ...groups], { env, maxBuffer: 16 << 20 });
  return answersIn(stdout);
}

const nameOf = (key: string): string => key.replace(/#\d+$/, '');

/** A step that nobody measured is no difference, and neither is a detail that was not asked then. */
function differencesOf(measured: Answers, simulator: Answers): Difference[] {
  const found: Difference[] = [];
  for (const [key, real] of measured) {
    const simulated = simulator.get(key);
    // Behind a crash or a hang of the probe's own process nothing was measured.
    if (simulated === undefined || real.result === 'DEAD') continue;
    const step = nameOf(key);
    if (simulated.result !== real.result) {
      found.push({ step, what: 'result', measured: real.result, simulator: simulated.result });
    } else if (real.detail !== '' && real.detail !== 'DEAD' && simulated.detail !== real.detail) {
      found.push({ step, what: 'detail', measured: real.detail, simulator: simulated.detail });
    }
  }
  return found;
}

interface Expected {
  readonly line: string;
  readonly fits: (difference: Difference) => boolean;
}

const expected: readonly Expected[] = lines(file('expected-differences.tsv')).map((columns) => {
  const [step = '', what, simulator] = columns;
  return {
    line: columns.join(' | '),
    fits: (difference) =>
      difference.what === what &&
      (simulator === '*' || difference.simulator === simulator) &&
      (step.endsWith('*') ? difference.step.startsWith(step.slice(0, -1)) : difference.step === step),
  };
});

/**
 * B's record comes behind A's. Asked right after A's, the event of the measured driver was not ready; here B may have been
 * faster, which is as right.
 */
const isRace = ({ step, measured, simulator }: Difference): boolean =>
  step === 'shared events/A is released' && measured === 'CUDA_ERROR_NOT_READY' && simulator === 'CUDA_SUCCESS';

const unlisted = (differences: readonly Difference[]): Difference[] =>
  differences.filter((difference) => !isRace(difference) && !expected.some(({ fits }) => fits(difference)));

describe.runIf(process.platform === 'linux')('the simulator and the measured driver', () => {
  const measured = answersIn(file('measured.tsv'));
  let simulator: Answers;
  let differences: Difference[];

  beforeAll(async () => {
    await buildNative();
    simulator = await probe(400);
    differences = differencesOf(measured, simulator);
    // On a busy machine a step may miss its time limit; what is really different is so again.
    const groups = new Set(unlisted(differences).map(({ step }) => step.slice(0, step.indexOf('/'))));
    if (groups.size === 0) return;
    simulator = new Map([...simulator, ...(await probe(1500, [...groups]))]);
    differences = differencesOf(measured, simulator);
  }, 180_000);

  it('are asked the same things', () => {
    expect(measured.size).toBeGreaterThan(1500);
    expect([...measured.keys()].filter((key) => !simulator.has(key))).toEqual([]);
  });

  it('differ only where the list of differences says so', () => {
    expect(unlisted(differences)).toEqual([]);
  });

  it('differ in everything that the list names', () => {
    expect(expected.filter(({ fits }) => !differences.some(fits)).map(({ line }) => line)).toEqual([]);
  });
});
