/**
 * `npm test`: everything that a change has to pass, in order; stops at the first step that fails.
 * `npm test -- types unit` runs only the named steps.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { build } from './lib/build.mjs';
import { virtualDisplay } from './lib/display.mjs';
import { at } from './lib/paths.mjs';
import { run } from './lib/process.mjs';
import { readText } from './lib/stamp.mjs';
import { bold, dim, green, main, red, Stop, say, seconds } from './lib/terminal.mjs';
import { setup } from './setup.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ name: string, what: string, simulator?: true, body: () => Promise<Counts | undefined> }} Step */

const reports = at('test-results/reports');
const none = { passed: 0, failed: 0, skipped: 0 };

/** @type {Step[]} */
const steps = [
  {
    name: 'types',
    what: 'Types (tsc)',
    body: async () => {
      for (const config of ['tsconfig.node.json', 'tsconfig.web.json', 'tsconfig.e2e.json']) {
        await node('node_modules/typescript/bin/tsc', ['-p', config]);
      }
    },
  },
  {
    name: 'lint',
    what: 'Lint, format, folder rules (Biome), dead code (knip)',
    body: async () => {
      await node('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']);
      await node('node_modules/knip/bin/knip.js', ['--no-progress']);
    },
  },
  {
    name: 'unit',
    what: 'Unit tests (vitest)',
    simulator: true,
    body: () => vitest('unit', ['--exclude', 'native-bridge/conformance/**']),
  },
  {
    name: 'conformance',
    what: 'Conformance to the measured driver behaviour, on the simulator (vitest)',
    simulator: true,
    body: () => vitest('conformance', ['native-bridge/conformance/']),
  },
  { name: 'build', what: 'Build (electron-vite)', body: async () => void (await build()) },
  { name: 'e2e', what: 'End-to-end tests in real Electron (Playwright)', simulator: true, body: playwright },
];

await main(async () => {
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    throw new Stop(`There is no step ${unknown.join(', ')}. Steps: ${steps.map(({ name }) => name).join(', ')}.`);
  }
  const chosen = steps.filter((step) => wanted.length === 0 || wanted.includes(step.name));
  await setup(chosen.some((step) => step.simulator) ? { simulatorFor: 'npm test runs on the simulator' } : {});
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const total = { ...none };
  const started = Date.now();
  for (const { name, what, body } of chosen) {
    say(`\n${bold(`${what}`)}`);
    const began = Date.now();
    /** @type {Counts} */
    let counts;
    try {
      counts = (await body()) ?? none;
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      say(error.message);
      counts = { ...none, failed: 1 };
    }
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    const took = dim(seconds(Date.now() - began));
    if (counts.failed > 0) {
      say(`${red(`✗ ${name} failed`)} ${took}; the steps after it did not run. Again: npm test -- ${name}`);
      break;
    }
    say(`${green(`✓ ${name}`)} ${took}`);
  }
  say(dim(`\nAll together ${seconds(Date.now() - started)}.${total.skipped ? ` ${total.skipped} skipped.` : ''}`));
  say(`${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
});

/**
 * Runs a program of node_modules. It prints what is wrong itself.
 * @param {string} script @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env]
 */
async function node(script, args, env = process.env) {
  const { code } = await run(process.execPath, [at(script), ...args], { env });
  if (code !== 0) throw new Stop(`${script.split('/').at(-1)} ended with exit code ${code}.`);
}

/** @param {string} name @param {readonly string[]} args @returns {Promise<Counts>} */
async function vitest(name, args) {
  const report = `${reports}/${name}.json`;
  // CI alone makes vitest use colours, which are only noise in a log.
  const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' };
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const failure = await attempt(() => node('node_modules/vitest/vitest.mjs', ['run', ...args, ...reporters], env));
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = read(report);
  return settle(failure, { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests });
}

/** @returns {Promise<Counts>} */
async function playwright() {
  const report = `${reports}/e2e.json`;
  const display = process.platform === 'linux' ? await virtualDisplay() : undefined;
  try {
    const failure = await attempt(() =>
      node('node_modules/@playwright/test/cli.js', ['test', '--reporter=list,json'], {
        ...(display?.env ?? process.env),
        PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      }),
    );
    const { stats = {}, suites = [] } = read(report);
    const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = stats;
    if (flaky > 0) say(`Passed only on the second attempt, look into it:\n${flakyTitles(suites).join('\n')}`);
    return settle(failure, { passed: expected + flaky, failed: unexpected, skipped });
  } finally {
    await display?.stop();
  }
}

/** Where the tests are that failed once. @param {readonly any[]} suites of Playwright's report @returns {string[]} */
function flakyTitles(suites) {
  return suites.flatMap(({ suites: inner = [], specs = [] }) => [
    ...specs
      .filter((/** @type {any} */ spec) => spec.tests.some((/** @type {any} */ test) => test.status === 'flaky'))
      .map((/** @type {any} */ spec) => `  ${spec.file}:${spec.line} ${spec.title}`),
    ...flakyTitles(inner),
  ]);
}

/** @param {() => Promise<void>} body @returns {Promise<Stop | undefined>} */
async function attempt(body) {
  try {
    await body();
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }
}

/** A run that failed without a failed test, or that ran no test at all, is a failure too. @param {Stop | undefined} failure @param {Counts} counts */
function settle(failure, counts) {
  if (failure && counts.failed === 0) say(`${failure.message} It failed outside of any test.`);
  else if (!failure && counts.passed === 0) say('No test ran.');
  return { ...counts, failed: counts.failed || (failure || counts.passed === 0 ? 1 : 0) };
}

/** @param {string} path @returns {any} */
function read(path) {
  return JSON.parse(readText(path) ?? '{}');
}
