/**
 * Whether the simulator has to be built, and what it means when it cannot be: with a driver that answers the app is of
 * use without it, and nothing else is.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '../lib/paths.mjs';
import { Stop, say } from '../lib/terminal.mjs';
import { buildNative, hasCompiler, installCommand, isBuilt, NativeBuildError } from '../native-build.mjs';

/** A driver that has not answered by then does not count. */
const DRIVER_MS = 20_000;

/** Ends well when the machine's own driver starts and has a device. In a process of its own: a driver may hang or crash. */
const ASK_DRIVER = `
  const cuda = require('koffi').load('libcuda.so.1');
  const count = [0];
  const ok = cuda.func('int cuInit(unsigned int)')(0) === 0
    && cuda.func('int cuDeviceGetCount(_Out_ int *)')(count) === 0 && count[0] > 0;
  process.exit(ok ? 0 : 1);`;

/** @returns {Promise<boolean>} whether a real driver answers on this machine */
async function driverAnswers() {
  try {
    await promisify(execFile)(process.execPath, ['-e', ASK_DRIVER], { cwd: root, timeout: DRIVER_MS });
    return true;
  } catch {
    return false;
  }
}

/**
 * What to do about the simulator.
 * @param {{ canBeHad: boolean, neededFor: string | undefined, driverAnswers: boolean }} facts
 * @returns {'build' | 'go on without' | 'get a compiler'}
 */
export function plan({ canBeHad, neededFor, driverAnswers }) {
  if (canBeHad) return 'build';
  return neededFor === undefined && driverAnswers ? 'go on without' : 'get a compiler';
}

/** @param {string | undefined} neededFor what does not go on without it, for people; undefined: a real driver will do */
export async function planSimulator(neededFor) {
  if (process.platform !== 'linux') return 'go on without';
  const facts = { canBeHad: isBuilt() || hasCompiler(), neededFor, driverAnswers: false };
  // The driver is asked only where it decides.
  const asked = facts.canBeHad || neededFor !== undefined ? facts : { ...facts, driverAnswers: await driverAnswers() };
  return plan(asked);
}

/** What is said where the app goes on without. @param {string} why a sentence */
export const withoutSimulator = (why) =>
  `The simulator is not available: ${why} The NVIDIA driver answers, so the app runs with that.\nTo have the simulator too:\n  ${installCommand()} && npm run setup`;

/**
 * Builds it when it is out of date.
 * @param {string | undefined} neededFor as for `planSimulator`
 * @throws {Stop} it cannot be built, and is needed
 */
export async function buildSimulator(neededFor) {
  try {
    await buildNative({ log: say });
  } catch (error) {
    if (!(error instanceof NativeBuildError)) throw error;
    if (neededFor !== undefined) throw new Stop(`${error.message}\n${neededFor}, which could not be built.`);
    if (!(await driverAnswers())) {
      throw new Stop(
        `${error.message}\nThe simulator could not be built, and no NVIDIA driver answers on this machine.`,
      );
    }
    say(error.message);
    say(withoutSimulator('it could not be built, as the lines above say.'));
  }
}
