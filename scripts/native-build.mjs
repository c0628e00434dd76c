/**
 * Builds the C parts of the project with the machine's own compiler: the CUDA driver simulator (libcuda-sim.so), its
 * test program and the driver probe, into build/native/. Nothing happens when the sources have not changed.
 *
 * `node scripts/native-build.mjs [--force]`, or `buildNative()` from another script.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = join(ROOT, 'native-bridge', 'simulator');
/** What the simulator shares with the kernels of the GPU. */
const KERNELS = join(ROOT, 'native-bridge', 'kernels');
const OUTPUT = join(ROOT, 'build', 'native');
const STAMP = join(OUTPUT, 'stamp');

/** The real driver header, where a CUDA toolkit is installed: then the simulator's ABI is checked against it. */
const CUDA_HEADERS = ['/usr/local/cuda/include/cuda.h', '/usr/include/cuda.h'];

const COMPILE_FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-g', '-fPIC', '-fvisibility=hidden', '-pthread'];
/** The arithmetic of the kernels has to be the GPU's: no two operations made one. */
COMPILE_FLAGS.push('-ffp-contract=off');
const WARNING_FLAGS = ['-Wall', '-Wextra', '-Werror'];

/** What is built, by file name in build/native. */
export const NATIVE_FILES = {
  simulator: join(OUTPUT, 'libcuda-sim.so'),
  tests: join(OUTPUT, 'simulator-tests'),
  probe: join(OUTPUT, 'driver-probe'),
};

/** A missing compiler or a failed compilation, with a message for people. */
export class NativeBuildError extends Error {}

/** @param {string} name @returns {string | undefined} the absolute path of a program on PATH */
export function findProgram(name) {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(directory, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

const findCompiler = () => ['cc', 'gcc', 'clang'].map(findProgram).find((path) => path !== undefined);

/** Whether there is a C compiler, with the headers of the C library. */
export const hasCompiler = () => findCompiler() !== undefined && existsSync('/usr/include/stdio.h');

/** The command that installs a C compiler with this machine's package manager. */
export function installCommand() {
  const managers = [
    ['apt-get', 'apt-get install -y gcc libc6-dev'],
    ['dnf', 'dnf install -y gcc glibc-devel'],
    ['zypper', 'zypper install -y gcc glibc-devel'],
    ['pacman', 'pacman -S --noconfirm gcc'],
    ['apk', 'apk add gcc musl-dev linux-headers'],
  ];
  const found = managers.find(([program]) => findProgram(program ?? ''))?.[1] ?? 'apt-get install -y gcc libc6-dev';
  return process.getuid?.() === 0 ? found : `sudo ${found}`;
}

/** @param {string} directory @param {RegExp} pattern @returns {string[]} */
function filesIn(directory, pattern) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(directory, name));
}

/** @param {string | undefined} cudaHeader @returns what everything is made from, except the compiler */
function sourceHash(cudaHeader) {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([cudaHeader ?? '', COMPILE_FLAGS, WARNING_FLAGS]));
  const files = ['abi', 'src', 'check', 'test', 'probe'].flatMap((part) =>
    filesIn(join(SOURCES, part), /\.(c|h|def)$/),
  );
  for (const file of [...files, ...filesIn(KERNELS, /\.h$/), fileURLToPath(import.meta.url)]) {
    const content = readFileSync(file);
    hash.update(`${file.slice(ROOT.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

const findCudaHeader = () => CUDA_HEADERS.find((path) => existsSync(path));

/**
 * Whether everything is there, made from the sources as they are now.
 * @param {string} [compiler] and by this one
 */
export function isBuilt(compiler) {
  if (!existsSync(STAMP) || !Object.values(NATIVE_FILES).every((path) => existsSync(path))) return false;
  const [hash, by] = readFileSync(STAMP, 'utf8').split('\n');
  return hash === sourceHash(findCudaHeader()) && (compiler === undefined || by === compiler);
}

/**
 * Runs jobs with as many at once as there are processors.
 * @template T @param {readonly T[]} items @param {(item: T) => Promise<unknown>} job
 */
async function inParallel(items, job) {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await job(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, worker));
}

/**
 * Builds what is out of date.
 * @param {{ force?: boolean, log?: (line: string) => void }} [options]
 * @returns {Promise<{ built: boolean, simulator: string, tests: string, probe: string }>}
 * @throws {NativeBuildError} no compiler, not Linux, or the sources do not compile
 */
export async function buildNative({ force = false, log = () => {} } = {}) {
  if (process.platform !== 'linux') throw new NativeBuildError('The driver simulator is for Linux only.');
  const compiler = findCompiler();
  // Without a compiler, what another one made of the same sources will do.
  if (!force && isBuilt(compiler)) return { built: false, ...NATIVE_FILES };
  if (!compiler) {
    throw new NativeBuildError(`No C compiler found (cc, gcc or clang). Install one with:\n  ${installCommand()}`);
  }
  const cudaHeader = findCudaHeader();
  const stamp = `${sourceHash(cudaHeader)}\n${compiler}\n`;

  log('Building the driver simulator…');
  const work = join(OUTPUT, `.build-${process.pid}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  /** @param {string[]} args */
  const compile = async (args) => {
    try {
      await run(compiler, args, { maxBuffer: 64 << 20 });
    } catch (error) {
      const output = error && typeof error === 'object' && 'stderr' in error ? String(error.stderr) : String(error);
      const missing = /fatal error: (\S+): No such file/.exec(output)?.[1];
      const hint =
        missing && !missing.startsWith('../')
          ? `\nA system header is missing. Install it with:\n  ${installCommand()}`
          : '';
      throw new NativeBuildError(`${basename(compiler)} failed:\n${output.trim()}${hint}`);
    }
  };
  try {
    /** @param {string} source */
    const objectOf = (source) => join(work, `${basename(dirname(source))}-${basename(source, '.c')}.o`);
    const library = filesIn(join(SOURCES, 'src'), /\.c$/);
    const tests = filesIn(join(SOURCES, 'test'), /\.c$/);
    const probe = filesIn(join(SOURCES, 'probe'), /\.c$/);
    await inParallel([...library, ...tests, ...probe], (source) =>
      compile([...COMPILE_FLAGS, ...WARNING_FLAGS, '-c', source, '-o', objectOf(source)]),
    );
    if (cudaHeader) {
      for (const check of filesIn(join(SOURCES, 'check'), /\.c$/)) {
        await compile([...COMPILE_FLAGS, ...WARNING_FLAGS, '-isystem', dirname(cudaHeader), '-fsyntax-only', check]);
      }
    }
    const outputs = [
      // nodelete: worker threads outlive dlclose.
      { to: NATIVE_FILES.simulator, args: ['-shared', '-Wl,-z,nodelete', '-Wl,-z,defs', ...library.map(objectOf)] },
      { to: NATIVE_FILES.tests, args: [...library, ...tests].map(objectOf) },
      { to: NATIVE_FILES.probe, args: probe.map(objectOf) },
    ];
    for (const { to, args } of outputs) {
      const made = join(work, basename(to));
      await compile(['-pthread', '-o', made, ...args, '-ldl']);
      renameSync(made, to);
    }
    writeFileSync(join(work, 'stamp'), stamp);
    renameSync(join(work, 'stamp'), STAMP);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return { built: true, ...NATIVE_FILES };
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  try {
    await buildNative({ force: process.argv.includes('--force'), log: (line) => console.log(line) });
  } catch (error) {
    console.error(error instanceof NativeBuildError ? error.message : error);
    process.exitCode = 1;
  }
}
