/**
 * Child processes that never outlive the script: each gets its own process group, signals that end the script are
 * passed on once, and what was started is stopped before the script ends.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './paths.mjs';

const posix = process.platform !== 'win32';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
/** @type {NodeJS.Signals | undefined} */
let ended;

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, async () => {
    if (ended) return;
    ended = signal;
    await stopAll(signal);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// Whatever ends this process, an error that nobody caught included.
process.on('exit', () => {
  for (const child of running) kill(child, 'SIGKILL');
});

/**
 * Starts a program in its own process group.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options] from the repository root, with our output, unless said otherwise
 */
export function start(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: posix,
    ...options,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/**
 * @typedef {object} RunOptions
 * @property {number} [timeoutMs]
 * @property {(line: string) => boolean} [filterStderr] passes on only those lines of its standard error
 */

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & RunOptions} [options] with stdio 'pipe' the output is collected
 * @returns {Promise<{ code: number, output: string }>} code 127 when it could not be started, 124 when time was over,
 *   128 + n when a signal ended it
 */
export async function run(command, args, { timeoutMs, filterStderr, ...options } = {}) {
  const child = start(command, args, { ...options, ...(filterStderr && { stdio: ['ignore', 'inherit', 'pipe'] }) });
  let output = '';
  if (filterStderr && child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (filterStderr(line)) process.stderr.write(`${line}\n`);
    });
  } else {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
  }
  let late = false;
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          late = true;
          void stop(child);
        }, timeoutMs);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(127);
    });
    child.once('close', (status, signal) => resolve(status ?? 128 + (signal === 'SIGINT' ? 2 : 15)));
  });
  clearTimeout(timer);
  if (ended) await new Promise(() => undefined); // the signal handler ends this process
  return { code: late ? 124 : code, output };
}

/**
 * Ends a started program and its group: the signal first, SIGKILL after `graceMs`.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} [signal]
 */
export async function stop(child, signal = 'SIGTERM', graceMs = 5000) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  kill(child, signal);
  const timely = await Promise.race([gone.then(() => true), delay(graceMs, false, { ref: false })]);
  if (!timely) kill(child, 'SIGKILL');
  await gone;
}

/** @param {NodeJS.Signals} [signal] */
export async function stopAll(signal = 'SIGTERM') {
  // A virtual display goes last: whoever draws on it would complain.
  const displays = [...running].filter((child) => child.spawnfile.endsWith('Xvfb'));
  await Promise.all([...running].filter((child) => !displays.includes(child)).map((child) => stop(child, signal)));
  await Promise.all(displays.map((child) => stop(child)));
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function kill(child, signal) {
  try {
    if (posix && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It ended in between.
  }
}
