/**
 * The same calls and copies as bench/baseline.c, through the bindings; prints the same JSON.
 * usage: bindings.mjs LIBRARY, in Node or in Electron as Node.
 */
import { type CudaCalls, openCuda } from '#native/cuda/index';

const BATCHES = 21;
const CALLS = 20_000;
const library = process.argv[2] ?? '';

/** Nanoseconds. */
const now = () => Number(process.hrtime.bigint());

/** Mean nanoseconds of one call, for each batch; the first batch is to warm up and not counted. */
function sample(repeats: number, body: () => void): number[] {
  const samples: number[] = [];
  for (let batch = -1; batch < BATCHES; batch++) {
    const begin = now();
    for (let i = 0; i < repeats; i++) body();
    if (batch >= 0) samples.push((now() - begin) / repeats);
  }
  return samples;
}

const started = now();
const cuda: CudaCalls = openCuda(library);
cuda.init();
const device = cuda.deviceGet(0);
const listed = now();
cuda.ctxSetCurrent(cuda.devicePrimaryCtxRetain(device));
const ready = now();

const small = cuda.memAlloc(4096);
const handle = new Uint8Array(64);
const result: Record<string, number[]> = {
  initMs: [(listed - started) / 1e6],
  contextMs: [(ready - started) / 1e6],
  cuIpcGetMemHandle: sample(CALLS, () => cuda.ipcGetMemHandle(small, handle)),
  cuCtxGetCurrent: sample(CALLS, () => cuda.ctxGetCurrent()),
};
cuda.memFree(small);

for (const [name, bytes, repeats] of [
  ['copy64KiB', 1 << 16, 200],
  ['copy1MiB', 1 << 20, 50],
  ['copy64MiB', 1 << 26, 3],
] as const) {
  const host = new Uint8Array(bytes);
  cuda.memHostRegister(host);
  const memory = cuda.memAlloc(bytes);
  result[name] = sample(repeats, () => cuda.memcpyDtoH(host, memory)).map((ns) => ns / 1e3);
  cuda.memFree(memory);
  cuda.memHostUnregister(host);
}
process.stdout.write(`${JSON.stringify(result)}\n`);
