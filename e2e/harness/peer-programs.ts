/** The programs that share with the app without knowing it, and how each is started. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from './api';
import { Peer, pythonFinds } from './peer';
import { realDriver, test } from './test';

export interface Program {
  readonly name: string;
  readonly script: string;
  /** The Python module that it is made of. */
  readonly module: string;
  /** Whether the simulator is too little for it. */
  readonly realOnly: boolean;
}

export const programs = {
  ctypes: { name: 'ctypes', script: 'ctypes_peer.py', module: 'ctypes', realOnly: false },
  cudaPython: { name: 'CUDA Python', script: 'cuda_python_peer.py', module: 'cuda.bindings', realOnly: true },
  cudaCore: { name: 'cuda.core', script: 'cuda_core_peer.py', module: 'cuda.core', realOnly: true },
  cupy: { name: 'CuPy', script: 'cupy_peer.py', module: 'cupy', realOnly: true },
  numba: { name: 'Numba', script: 'numba_peer.py', module: 'numba.cuda', realOnly: false },
  pytorch: { name: 'PyTorch', script: 'torch_peer.py', module: 'torch', realOnly: true },
} as const satisfies Record<string, Program>;

/** In a `describe`: skips its tests where the program cannot run. */
export function skipWithout({ name, module, realOnly }: Program): void {
  test.skip(realOnly && !realDriver, `${name} needs a real GPU`);
  test.skip(() => !pythonFinds(module), `python3 with ${name} is not installed here`);
}

/** Starts a program that uses the driver the app uses. */
export async function startProgram(gpu: Api, { script }: Program, env: NodeJS.ProcessEnv = {}): Promise<Peer> {
  const { driver } = await gpu.app.info.value();
  // Where Numba looks for the driver; the others take an argument, or run with the real one only.
  const place = realDriver ? {} : { NUMBA_CUDA_DRIVER: driver.path };
  return Peer.startWith({ ...place, ...env }, script, driver.path);
}

/** Skips the test where the kernel does not let one process copy a descriptor of another. */
export async function mayTake(gpu: Api, pid: number): Promise<void> {
  const { allowed, why } = await gpu.fds.ofProcess.value({ pid });
  test.skip(allowed !== true, why);
}

/**
 * Python bytes as PyTorch's of one expandable segment: version and type; pid, bytes of a segment, their number; the
 * file descriptor of each.
 */
export function printedSegments(pid: number, segmentBytes: number, fd: number): string {
  const said = Buffer.alloc(2 + 24 + 4);
  said.write('\x02e', 'latin1');
  said.writeUInt32LE(pid, 2);
  said.writeBigUInt64LE(BigInt(segmentBytes), 10);
  said.writeBigUInt64LE(1n, 18);
  said.writeInt32LE(fd, 26);
  return `b'${said.toString('hex').replace(/../g, '\\x$&')}'`;
}

/**
 * Keeps what a program printed, and what the app makes of it: in the log, and in the folder `OUT` as tokens.jsonl, for
 * tests of the parser.
 */
export function keepToken(program: string, name: string, text: string, parsed: string): void {
  console.log(`TOKEN ${program}, ${name}: ${text.replaceAll('\n', '\\n')}`);
  console.log(`PARSED ${program}, ${name}: ${parsed}`);
  const { OUT } = process.env;
  if (OUT) appendFileSync(join(OUT, 'tokens.jsonl'), `${JSON.stringify({ program, name, text, parsed })}\n`);
}
