/** What the scripts print: plain sentences, colour only on a terminal that wants it. */

const tty = Boolean(process.stdout.isTTY);
const coloured = tty && process.env.NO_COLOR === undefined;

// Whoever reads the output may go first (npm start | head): what was started has to be ended all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** @param {number} code SGR code @returns {(text: string) => string} */
const paint = (code) => (text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);

/** @param {string} text */
export const say = (text) => process.stdout.write(`${text}\n`);

/** @param {number} ms duration @returns `0.4 s`, `83 s` */
export const seconds = (ms) => `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;

/** @param {number} bytes @returns `196 MB` */
export const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;

/** A failure with a message for people: what is wrong and what to do. Printed without a stack. */
export class Stop extends Error {}

/**
 * Runs a script's main function; its result is the exit code. A Stop prints its message, any other error its stack.
 * @param {() => Promise<number | undefined>} body
 */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    const text = error instanceof Stop ? error.message : error instanceof Error ? error.stack : error;
    process.stderr.write(`${red(String(text))}\n`);
    process.exitCode = 1;
  }
}

/**
 * Shows that something long is going on: on a terminal one line that is rewritten, elsewhere a line at the start, one
 * every ten seconds and one at the end.
 * @template T
 * @param {string} what `Installing the dependencies`
 * @param {(report: (detail: string) => void) => Promise<T>} body `report` sets what is shown after the elapsed time
 * @returns {Promise<T>}
 */
export async function progress(what, body) {
  const started = Date.now();
  const elapsed = () => seconds(Date.now() - started);
  const rewrite = tty ? '\r\u001b[K' : '';
  let detail = '';
  const show = () => {
    const line = [`${what}…`, Date.now() - started > 900 && elapsed(), detail].filter(Boolean).join(' ');
    process.stdout.write(tty ? `${rewrite}${line}` : `${line}\n`);
  };
  show();
  const timer = setInterval(show, tty ? 250 : 10_000);
  try {
    const value = await body((text) => {
      detail = text;
    });
    say(`${rewrite}${what}: done in ${elapsed()}.`);
    return value;
  } catch (error) {
    say(`${rewrite}${what}: failed after ${elapsed()}.`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
