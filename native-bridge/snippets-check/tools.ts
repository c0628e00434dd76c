/** What can run a snippet here: interpreters, compilers, packages, and a driver library to link with. */
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SnippetLibrary } from '#contract/snippets/index';
import { onRealDriver } from '../conformance/setting';

/** A run may take this long; importing a library takes most of it. */
const RUN_MS = 90_000;
const PYTHON = process.env.GPU_IPC_SNIPPETS_PYTHON ?? 'python3';

/** Module to import, and a Python expression of its version. */
const modules: Readonly<Partial<Record<SnippetLibrary, readonly [string, string]>>> = {
  ctypes: ['ctypes, sys', 'sys.version.split()[0]'],
  'cuda-python': ['cuda.bindings', 'cuda.bindings.__version__'],
  'cuda-core': ['cuda.core', 'cuda.core.__version__'],
  cupy: ['cupy', 'cupy.__version__'],
  numba: ['numba.cuda', 'numba.__version__'],
  pytorch: ['torch', 'torch.__version__'],
};

/** The runtime, and what is built on it, needs more of a driver than the simulator has. */
const onSimulator: readonly SnippetLibrary[] = ['ctypes', 'cuda-python', 'numba', 'driver'];

export type Ability =
  | { readonly run: true; readonly version: string }
  /** `compile`: it is compiled, and not run. */
  | { readonly run: false; readonly compile: boolean; readonly why: string };

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Tools {
  readonly folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-snippets-'));
  readonly #libraries = join(this.folder, 'lib');
  readonly #include = ['/usr/local/cuda/include', ...toolkits()].find((path) => existsSync(join(path, 'cuda.h')));
  #files = 0;

  /** @param loaded a loaded driver library's name or path; its file is what C++ is linked with */
  constructor(loaded: string) {
    mkdirSync(this.#libraries);
    const file = mappedFile(loaded);
    for (const name of ['libcuda.so', 'libcuda.so.1']) symlinkSync(file, join(this.#libraries, name));
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Whether snippets of a library run here; with the reason when not. */
  async ability(library: SnippetLibrary): Promise<Ability> {
    const not = (why: string, compile = false): Ability => ({ run: false, compile, why });
    if (library === 'ilgpu' || library === 'managedcuda') return not('there is no C# compiler here');
    if (library === 'driver' || library === 'runtime') {
      if (this.#include === undefined) return not('there is no cuda.h here');
      const compiler = library === 'runtime' && onRealDriver ? 'nvcc' : 'g++';
      const { code, stdout } = await this.run(compiler, ['--version']);
      if (code !== 0) return not(`${compiler} is not installed here`);
      if (library === 'runtime' && !onRealDriver) return not('the simulator is too little for the runtime', true);
      return { run: true, version: /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? '?' };
    }
    if (!onRealDriver && !onSimulator.includes(library)) return not('the simulator is too little for it', true);
    const [module, version] = modules[library] ?? ['', ''];
    const { code, stdout, stderr } = await this.run(PYTHON, ['-c', `import ${module}; print(${version})`]);
    if (code !== 0) return not(stderr.trim().split('\n').at(-1) ?? `${module} cannot be imported`, true);
    return { run: true, version: stdout.trim() };
  }

  /**
   * Writes a snippet to a file, and compiles it where that is needed.
   * @returns the command that runs it
   * @throws Error with what the compiler said
   */
  async prepare(library: SnippetLibrary, code: string): Promise<readonly [string, ...string[]]> {
    const isCpp = library === 'driver' || library === 'runtime';
    const nvcc = library === 'runtime' && onRealDriver;
    const path = join(this.folder, `${library}-${++this.#files}`);
    const source = `${path}.${isCpp ? (nvcc ? 'cu' : 'cpp') : 'py'}`;
    writeFileSync(source, code);
    if (!isCpp) return [PYTHON, source];
    const common = ['-std=c++17', source, '-o', path];
    const built = nvcc
      ? await this.run('nvcc', common)
      : await this.run('g++', [
          '-Wall',
          '-Wextra',
          // Compilers differ in what they warn of: elsewhere a warning is no failure.
          ...(onRealDriver ? [] : ['-Werror']),
          ...common,
          `-I${this.#include}`,
          // Without the runtime to link with, compiling is all.
          ...(library === 'runtime' ? ['-c'] : [`-L${this.#libraries}`, '-lcuda']),
        ]);
    if (built.code !== 0) throw new Error(`it does not compile: ${built.stderr || built.stdout}`);
    return [path];
  }

  /**
   * Compiles a snippet that is not run; of Python, its syntax is all that this can see.
   * @throws Error with what the compiler said
   */
  async compile(library: SnippetLibrary, code: string): Promise<void> {
    const [command, source] = await this.prepare(library, code);
    if (source === undefined) return;
    const parse = 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read())';
    const { code: status, stderr } = await this.run(command, ['-c', parse, source]);
    if (status !== 0) throw new Error(`it does not compile: ${stderr}`);
  }

  /** Runs a command to its end. Never rejects. */
  async run(command: string, args: readonly string[]): Promise<Finished> {
    try {
      const found = await promisify(execFile)(command, args, { env: this.#environment(), timeout: RUN_MS });
      return { code: 0, ...found };
    } catch (thrown) {
      const { code, stdout = '', stderr = '', message } = thrown as Finished & Error;
      return { code: typeof code === 'number' ? code : null, stdout, stderr: stderr || message };
    }
  }

  /** Starts a program that prints a JSON object and waits for Enter. */
  start(command: string, args: readonly string[]): Waiting {
    return new Waiting(command, args, this.#environment());
  }

  /** A user's own environment: none of a kit's libraries, and the simulator under the driver's name. */
  #environment(): NodeJS.ProcessEnv {
    const { LD_LIBRARY_PATH: _, ELECTRON_RUN_AS_NODE: __, NODE_OPTIONS: ___, ...env } = process.env;
    const simulated = onRealDriver ? {} : { LD_LIBRARY_PATH: this.#libraries };
    return { ...env, ...simulated, PYTHONDONTWRITEBYTECODE: '1' };
  }
}

export class Waiting {
  readonly #child;
  readonly #ended: Promise<number | null>;
  #stdout = '';
  #stderr = '';

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#ended = new Promise((resolve) => {
      child.once('exit', resolve);
      child.once('error', () => resolve(null));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The object, as text, once it is complete. */
  async printed(): Promise<string> {
    const deadline = performance.now() + RUN_MS;
    let ended = false;
    void this.#ended.then(() => {
      ended = true;
    });
    while (!/^\s*\}\s*$/m.test(this.#stdout)) {
      if (ended || performance.now() > deadline) {
        throw new Error(`it ${ended ? 'ended' : 'prints'} without a descriptor: ${this.#stderr || this.#stdout}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.#stdout;
  }

  /** Presses Enter and waits for the end. */
  async enter(): Promise<Finished> {
    this.#child.stdin.end('\n');
    const late = setTimeout(() => this.kill(), RUN_MS);
    const code = await this.#ended;
    clearTimeout(late);
    return { code, stdout: this.#stdout, stderr: this.#stderr };
  }

  kill(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
  }
}

/** `/usr/local/cuda-13.0/include`, the newest first. */
function toolkits(): string[] {
  const from = '/usr/local';
  if (!existsSync(from)) return [];
  const names = readdirSync(from).filter((name) => name.startsWith('cuda-'));
  return names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true })).map((name) => join(from, name, 'include'));
}

/** The file behind a loaded library's name. */
function mappedFile(loaded: string): string {
  if (loaded.startsWith('/')) return loaded;
  const name = loaded.replace(/\.1$/, '');
  const line = readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .find((each) => each.includes(`/${name}`));
  if (line === undefined) throw new Error(`${loaded} is not loaded`);
  return line.slice(line.indexOf('/'));
}
