/**
 * The pages behind a large buffer of this process: made before they are needed, on other threads, and given back at once
 * when they are not needed any more, whenever the engine gets round to collecting the buffer. Linux; elsewhere nothing
 * happens, and everything is as it would be without.
 */
import koffi, { type KoffiFunc } from 'koffi';

const MADV_DONTNEED = 4;
/** Linux 5.14. */
const MADV_POPULATE_WRITE = 23;
/** A multiple of every page size that Linux is built with. */
const WHOLE = 64 * 1024;

type Madvise = KoffiFunc<(address: bigint, length: number, advice: number) => number>;

let madvise: Madvise | undefined;

/**
 * Has the kernel back a buffer with pages, on a thread of the pool. Whoever writes into it or page-locks it afterwards
 * does not wait for them. Huge pages are not asked for: where memory is in pieces the kernel takes seconds to find some
 * (measured: 1 GiB in 3 to 5 s instead of 0.6 to 0.8 s).
 * @returns whether it did; a kernel that cannot leaves it for the first write
 */
export async function populate(buffer: Uint8Array): Promise<boolean> {
  const inside = wholePages(buffer);
  if (inside === undefined) return false;
  const done = (await advise(inside, MADV_POPULATE_WRITE)) === 0;
  // The pool's thread has only the address: the buffer must live until here.
  return done && buffer.byteLength > 0;
}

/** Gives the pages back. The buffer reads as zero afterwards, and may be used again. Not for page-locked memory. */
export function giveBackPages(buffer: Uint8Array): void {
  const inside = wholePages(buffer);
  if (inside !== undefined) bound()(inside.address, inside.bytes, MADV_DONTNEED);
}

interface Pages {
  readonly address: bigint;
  readonly bytes: number;
}

function wholePages(buffer: Uint8Array): Pages | undefined {
  if (process.platform !== 'linux') return undefined;
  const address = koffi.address(buffer);
  const first = ((address + BigInt(WHOLE - 1)) / BigInt(WHOLE)) * BigInt(WHOLE);
  const end = ((address + BigInt(buffer.byteLength)) / BigInt(WHOLE)) * BigInt(WHOLE);
  return end > first ? { address: first, bytes: Number(end - first) } : undefined;
}

function bound(): Madvise {
  madvise ??= koffi.load(null).func('int madvise(void *address, size_t length, int advice)');
  return madvise;
}

/** On a thread of the pool: it makes no driver call, so that it has no CUDA context there does not matter. */
function advise({ address, bytes }: Pages, advice: number): Promise<number> {
  return new Promise((resolve, reject) => {
    bound().async(address, bytes, advice, (error: Error | null, result: number) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}
