/** Driver calls and copies: C against the bindings, in turn, so that a busy machine slows both. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { at, root } from '../scripts/lib/paths.mjs';
import { run } from '../scripts/lib/process.mjs';
import { Stop } from '../scripts/lib/terminal.mjs';

/** @typedef {Record<string, number[]>} Samples milliseconds, nanoseconds or microseconds by name, see baseline.c */

const ROUNDS = 3;
const baseline = at('build/native/bench-baseline');

/**
 * @param {string} library the driver to measure
 * @param {string} electron its executable
 * @returns {Promise<{ c: Samples, node: Samples, electron: Samples }>}
 */
export async function measureNative(library, electron) {
  await compileBaseline();
  const bindings = await bundle('bindings');
  const asNode = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  /** @type {{ c: Samples, node: Samples, electron: Samples }} */
  const all = { c: {}, node: {}, electron: {} };
  for (let round = 0; round < ROUNDS; round++) {
    collect(all.c, await json(baseline, [library], process.env));
    collect(all.node, await json(process.execPath, [bindings, library], process.env));
    collect(all.electron, await json(electron, [bindings, library], asNode));
  }
  return all;
}

/**
 * Snapshots as the Inspector's host takes them, against a copy of as many bytes from C. Milliseconds: `first`, the memory
 * for it included, and `again`, into memory that is page-locked already.
 * @param {string} library @param {string} electron @param {number} bytes
 * @returns {Promise<{ c: Samples, app: Samples }>}
 */
export async function measureSnapshot(library, electron, bytes) {
  await compileBaseline();
  const script = await bundle('snapshot');
  const asNode = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  /** @type {{ c: Samples, app: Samples }} */
  const all = { c: {}, app: {} };
  for (let round = 0; round < ROUNDS; round++) {
    collect(all.c, await json(baseline, [library, String(bytes)], process.env));
    collect(all.app, await json(electron, [script, library, String(bytes)], asNode));
  }
  return all;
}

/** Built where there is a compiler; a machine without one uses what was built elsewhere. */
async function compileBaseline() {
  mkdirSync(at('build/native'), { recursive: true });
  const flags = ['-std=c17', '-O2', '-Wall', '-Wextra', '-Werror'];
  const args = [...flags, '-o', baseline, at('bench/baseline.c'), '-ldl'];
  const { code, output } = await run('cc', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (code !== 0 && !existsSync(baseline)) throw new Stop(`bench/baseline.c could not be compiled:\n${output}`);
}

/** @param {string} name file in bench/ @returns {Promise<string>} it as one module that Node can run */
async function bundle(name) {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      ssr: at(`bench/${name}.ts`),
      target: 'node20.18',
      outDir: at('out/bench'),
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: '[name].mjs' } },
    },
    ssr: { external: ['koffi'], noExternal: true },
  });
  return join(root, `out/bench/${name}.mjs`);
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<Samples>} */
async function json(command, args, env) {
  const { code, output } = await run(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  if (code !== 0) throw new Stop(`${command} ${args.join(' ')} ended with exit code ${code}.`);
  return JSON.parse(output);
}

/** @param {Samples} into @param {Samples} more */
function collect(into, more) {
  for (const [name, samples] of Object.entries(more)) into[name] = [...(into[name] ?? []), ...samples];
}
