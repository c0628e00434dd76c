/** Python processes that share GPU memory with the app: programs that know nothing of it. See e2e/peers. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/lib/paths.mjs';
import { removeFilesOf } from './leftovers';

export interface PeerCommands {
  /** `prefix`: what PyTorch puts before its handle. */
  alloc: { args: { size: number }; answer: { handle: string; prefix?: string; offset?: number; size?: number } };
  allocVirtual: { args: { size: number }; answer: { fd: number } };
  allocPool: { args: { size: number }; answer: { fd: number; handle: string } };
  openVirtual: { args: { pid: number; fd: number; size: number }; answer: object };
  /** A share descriptor of the app, as text. */
  openDescription: { args: { descriptor: string }; answer: object };
  /** What a person would copy from the program, by name. */
  tokens: { args: object; answer: { tokens: Record<string, string> } };
  closeFd: { args: object; answer: object };
  write: { args: { offset: number; hex: string }; answer: object };
  read: { args: { offset: number; length: number }; answer: { hex: string } };
  open: { args: { handle: string; size: number }; answer: object };
  close: { args: object; answer: object };
  /** Gives back what it made or opened, in the order that the driver wants. */
  free: { args: object; answer: object };
  exportEvent: { args: object; answer: { handle: string } };
  openEvent: { args: { handle: string }; answer: object };
  recordEvent: { args: object; answer: object };
  queryEvent: { args: object; answer: { result: number } };
}

/** How long a peer may take for an answer; importing a library takes seconds. */
const ANSWER_MS = 60_000;
/** How long one may take to end once nobody asks it any more. */
const END_MS = 15_000;

export class Peer {
  #lines: AsyncIterator<string>;
  #complaint = '';

  private constructor(
    private readonly script: string,
    private readonly child: ChildProcess,
  ) {
    if (!child.stdout || !child.stderr) throw new Error('the peer has no pipes');
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint += text;
    });
  }

  /** @param script file in e2e/peers */
  static start(script: string, ...args: string[]): Promise<Peer> {
    return Peer.startWith({}, script, ...args);
  }

  /** With more in its environment. */
  static async startWith(env: NodeJS.ProcessEnv, script: string, ...args: string[]): Promise<Peer> {
    const child = spawn('python3', [join(root, 'e2e/peers', script), ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...peerEnvironment(), ...env },
    });
    const peer = new Peer(script, child);
    await peer.#answer();
    return peer;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async ask<C extends keyof PeerCommands>(
    command: C,
    args: PeerCommands[C]['args'],
  ): Promise<PeerCommands[C]['answer']> {
    this.child.stdin?.write(`${JSON.stringify({ do: command, ...args })}\n`);
    const answer = (await this.#answer()) as PeerCommands[C]['answer'] & { error?: string };
    if (answer.error) throw new Error(`the peer's ${command}: ${answer.error}`);
    return answer;
  }

  /**
   * Ends it, by the end of its input or by a signal. Files that it leaves are no fault of the app: a program that is
   * killed leaves some, and so does one that exits with a CUDA context alive.
   */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (signal) this.child.kill(signal);
    else this.child.stdin?.end();
    const late = setTimeout(() => this.child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(late);
    const left = removeFilesOf(this.pid);
    if (left.length > 0) console.log(`${this.script} ${signal ?? 'at the end of its input'} left ${left.join(', ')}`);
  }

  async #answer(): Promise<unknown> {
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`the peer does not answer: ${this.#complaint}`)), ANSWER_MS).unref();
    });
    const { value, done } = await Promise.race([this.#lines.next(), late]);
    if (done) throw new Error(`the peer ended: ${this.#complaint}`);
    return JSON.parse(value);
  }
}

/** Without the libraries that only Electron may see where it comes with its own. */
function peerEnvironment(): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH: _, ELECTRON_RUN_AS_NODE: __, ...env } = process.env;
  return { ...env, PYTHONDONTWRITEBYTECODE: '1' };
}

/** Whether python3 is here, and a module of it. */
export function pythonHas(module: string): boolean {
  return spawnSync('python3', ['-c', `import ${module}`], { env: peerEnvironment(), timeout: ANSWER_MS }).status === 0;
}

const found = new Map<string, boolean>();

/** Whether python3 is here and would find a module; it is not imported, which takes some of them seconds. */
export function pythonFinds(module: string): boolean {
  const known = found.get(module);
  if (known !== undefined) return known;
  const code = `import sys\nfrom importlib.util import find_spec\nsys.exit(find_spec(${JSON.stringify(module)}) is None)`;
  const isThere = spawnSync('python3', ['-c', code], { env: peerEnvironment(), timeout: ANSWER_MS }).status === 0;
  found.set(module, isThere);
  return isThere;
}
