/**
 * Compiles native-bridge/kernels/*.cu to the PTX that is committed beside them. Needs nvcc and ptxas (CUDA 11 or newer;
 * what is committed says which); nothing else in this project does.
 *
 * `node scripts/kernels-build.mjs`
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { at } from './lib/paths.mjs';

const run = promisify(execFile);
const FOLDER = at('native-bridge/kernels');

/** The oldest GPU that the app takes, Turing; every newer driver compiles this for its own. */
const TARGET = 'compute_75';
/**
 * What nvcc writes is its own version, which only a driver as new as it takes. The instructions used here are of PTX ISA
 * 6.3, the first that knows sm_75 (CUDA 10.0): each driver since CUDA 11 takes that. ptxas checks it below.
 */
const PTX_VERSION = '6.3';
const CHECKED_ON = ['sm_75', 'sm_80', 'sm_86', 'sm_90', 'sm_100', 'sm_120'];

/** A product and a sum are two operations, as they are for the simulator; where one is meant, the source says so. */
const FLAGS = ['-std=c++17', '-O3', '-fmad=false', `-arch=${TARGET}`, '-ptx'];

/**
 * How often 16 bytes a thread of a statistics kernel has on their way, where not 4: as measured.
 *
 * @type {Record<string, string[]>}
 */
const tuned = { u16: ['-DWB_UNROLL=3'] };

/** Modules by name: the source, and which kernel of it. */
const modules = {
  sample: { source: 'sample.cu', defines: [] },
  scan: { source: 'scan.cu', defines: [] },
  summary: { source: 'summary.cu', defines: [] },
  ...Object.fromEntries(
    Object.entries({
      bytes: 'Bytes',
      u16: 'Unsigned16',
      i16: 'Signed16',
      u32: 'Unsigned32',
      i32: 'Signed32',
      u64: 'Unsigned64',
      i64: 'Signed64',
      f16: 'Float16',
      bf16: 'BrainFloat16',
      f32: 'Single',
      f64: 'Double',
    }).map(([name, type]) => [
      `statistics_${name}`,
      {
        source: 'statistics.cu',
        defines: [`-DWB_KERNEL=statistics_${name}`, `-DWB_TYPE=${type}`, ...(tuned[name] ?? [])],
      },
    ]),
  ),
};
export const moduleNames = Object.keys(modules);

/** Of everything the PTX is made from: each file of the folder, the flags, this version. */
export function sourcesHash() {
  const hash = createHash('sha256').update(JSON.stringify([FLAGS, PTX_VERSION, modules]));
  for (const name of readdirSync(FOLDER).sort()) {
    if (!/\.(cu|cuh|h)$/.test(name)) continue;
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(FOLDER, name)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} name @returns {string} where a module's PTX is */
export const ptxFile = (name) => join(FOLDER, `${name}.ptx`);

async function buildKernels() {
  const work = mkdtempSync(join(tmpdir(), 'kernels-'));
  try {
    const { stdout } = await run('nvcc', ['--version']);
    const compiler = /release ([\d.]+)/.exec(stdout)?.[1] ?? 'unknown';
    const hash = sourcesHash();
    for (const [name, { source, defines }] of Object.entries(modules)) {
      const made = join(work, `${name}.ptx`);
      await run('nvcc', [...FLAGS, ...defines, '-o', made, join(FOLDER, source)]);
      const text = readFileSync(made, 'utf8')
        .replace(/^\/\/.*\n/gm, '')
        .replace(/^\.version .*$/m, `.version ${PTX_VERSION}`)
        // A name that nvcc makes of the path of the source.
        .replace(/_INTERNAL_[0-9a-f]+_\d+_/g, '_INTERNAL_')
        .trimStart();
      const header = `// GPU IPC Inspector kernels: ${source} by nvcc ${compiler}\n// sources sha256 ${hash}\n`;
      writeFileSync(made, header + text);
      for (const chip of CHECKED_ON) await run('ptxas', [`-arch=${chip}`, '-o', join(work, 'checked.cubin'), made]);
      writeFileSync(ptxFile(name), header + text);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) await buildKernels();
