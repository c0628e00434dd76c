/**
 * How fast the whole-buffer kernels read memory: bench/kernels.c beside a copy from the device to itself, and the same
 * statistics with PyTorch and CuPy where Python has them.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { moduleNames, ptxFile } from '../scripts/kernels-build.mjs';
import { at } from '../scripts/lib/paths.mjs';
import { run } from '../scripts/lib/process.mjs';
import { Stop } from '../scripts/lib/terminal.mjs';

/**
 * One pass that begins on an idle device, and many that follow each other (`again_`).
 * @typedef {{
 *   kernel: string, data: string, GiB: number, TB_per_s: number, by_copy: number, again_TB_per_s: number,
 *   again_by_copy: number, result: string
 * }} Measured
 */

const program = at('build/native/bench-kernels');

/**
 * @param {string} library a real driver: kernels of the simulator say nothing about a GPU
 * @returns {Promise<Measured[]>} what the kernels of the app read of normally distributed numbers
 */
export async function measureKernels(library) {
  mkdirSync(at('build/native'), { recursive: true });
  const flags = ['-std=c17', '-O2', '-Wall', '-Wextra', '-Werror', '-o', program, at('bench/kernels.c'), '-ldl', '-lm'];
  const compiled = await run('cc', flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (compiled.code !== 0 && !existsSync(program)) {
    throw new Stop(`bench/kernels.c could not be compiled:\n${compiled.output}`);
  }
  const modules = moduleNames.filter((name) => name.startsWith('statistics_')).map(ptxFile);
  const { code, output } = await run(program, [library, ...modules], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (code !== 0) throw new Stop(`${program} ended with exit code ${code}.`);
  return table(output)
    .filter(({ kernel, data }) => kernel !== 'copy' && data === 'normal')
    .map(({ kernel = '', data = '', GiB, TB_per_s, by_copy, again_TB_per_s, again_by_copy, result = '' }) => ({
      kernel,
      data,
      GiB: Number(GiB),
      TB_per_s: Number(TB_per_s),
      by_copy: Number(by_copy),
      again_TB_per_s: Number(again_TB_per_s),
      again_by_copy: Number(again_by_copy),
      result,
    }));
}

/** @typedef {{ library: string, kernel: string, GiB: number, TB_per_s: number, problem: string }} Compared */

/** Types as the libraries name them, and as the kernels do. */
const KERNELS = { float32: 'f32', bfloat16: 'bf16', float64: 'f64', uint8: 'bytes' };

/** @returns {Promise<Compared[]>} what PyTorch and CuPy read for the same statistics; empty without Python */
export async function measureLibraries() {
  // Without what makes Electron's own Node run: Python keeps its libraries.
  const { LD_LIBRARY_PATH: _, ELECTRON_RUN_AS_NODE: __, ...plain } = process.env;
  const env = process.env.ELECTRON_RUN_AS_NODE ? plain : process.env;
  const { code, output } = await run('python3', [at('bench/kernels_by_library.py'), '4'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
    timeoutMs: 90_000,
  });
  if (code !== 0 && code !== 124) return [];
  const rows = table(output).filter(({ dtype }) => dtype);
  return rows.map(({ library = '', dtype = '', GiB, TB_per_s, problem = '' }) => ({
    library: { torch: 'PyTorch', cupy: 'CuPy' }[library] ?? library,
    kernel: dtype in KERNELS ? KERNELS[/** @type {keyof typeof KERNELS} */ (dtype)] : dtype,
    GiB: Number(GiB),
    TB_per_s: Number(TB_per_s),
    problem,
  }));
}

/** @param {string} output tab-separated lines, the first with names @returns {Record<string, string>[]} */
function table(output) {
  const [names = [], ...lines] = output
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return lines.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
}
