/**
 * Memory that two threads share, through which the bytes of one read pass at a time. A message from a thread to the main
 * thread of Electron takes two more threads and a new buffer for the bytes, a multiple of what a small read itself takes;
 * so main waits for such an answer where it is, for a moment at most.
 *
 * One word says how far it is: 0, nobody waits; n, main waits for the answer of request n; -n, that answer is here.
 */
import type { CallValue } from '#contract/calls';

type Page = CallValue<'memory.read'>;

/** The largest read that is handed over: more bytes take longer to copy than to send. */
export const HAND_OVER_BYTES = 256 * 1024;

/** Places among the words, then in bytes from the beginning. */
const WORD = 0;
/** How many messages of the other side main has got. */
const RECEIVED = 1;
const TAKEN_AT = 8;
const BYTES = 16;

/** Ids go on for ever; a word has a sign and 31 bits, and 0 is taken. */
const asWord = (id: number): number => (id % 0x7fffffff) + 1;

/** Whether this thread may wait for another one: a rule of the JavaScript engine, which whoever embeds it sets. */
export function mayWait(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

/** To be given to both sides. */
export const handOverMemory = (): SharedArrayBuffer => new SharedArrayBuffer(BYTES + HAND_OVER_BYTES);

class Shared {
  protected readonly words: Int32Array<SharedArrayBuffer>;
  protected readonly takenAt: Float64Array<SharedArrayBuffer>;
  protected readonly bytes: Uint8Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory, 0, 2);
    this.takenAt = new Float64Array(memory, TAKEN_AT, 1);
    this.bytes = new Uint8Array(memory, BYTES);
  }
}

/** The side that asks. */
export class Taker extends Shared {
  /**
   * Asks, and waits for the answer. `undefined` when it does not come within the time or comes as a message.
   * @param ask sends the request
   * @param length bytes that the request reads, at most HAND_OVER_BYTES
   * @param times how long to look again and again, and how long to wait altogether, in milliseconds
   */
  take(
    id: number,
    length: number,
    ask: () => void,
    times: { readonly look: number; readonly wait: number },
  ): Page | undefined {
    const word = asWord(id);
    Atomics.store(this.words, WORD, word);
    ask();
    const began = performance.now();
    // What the bytes go into, touched while the other side is at work: new pages take longer than the copy.
    const bytes = new Uint8Array(length).fill(0xff);
    while (Atomics.load(this.words, WORD) === word && performance.now() - began < times.look);
    const left = times.wait - (performance.now() - began);
    if (left > 0) Atomics.wait(this.words, WORD, word, left);
    // From here on an answer that is still being written comes as a message.
    const state = Atomics.compareExchange(this.words, WORD, word, 0);
    if (state !== -word) return undefined;
    bytes.set(this.bytes.subarray(0, length));
    const page: Page = { bytes, takenAt: this.takenAt[0] ?? 0 };
    Atomics.store(this.words, WORD, 0);
    return page;
  }

  /** To be told of each message that arrives. */
  received(): void {
    Atomics.add(this.words, RECEIVED, 1);
  }
}

/** The side that answers. */
export class Giver extends Shared {
  /** How many messages were sent; wraps as the count of those that arrived does. */
  private sent = 0;

  /**
   * Hands the bytes of a read over, if the other side waits for them. Not while a message is on its way to it: answers
   * must not overtake what was said before them.
   */
  give(id: number, { bytes, takenAt }: Page): boolean {
    const word = asWord(id);
    if (bytes.byteLength > HAND_OVER_BYTES || Atomics.load(this.words, WORD) !== word) return false;
    if (Atomics.load(this.words, RECEIVED) !== this.sent) return false;
    this.bytes.set(bytes);
    this.takenAt[0] = takenAt;
    if (Atomics.compareExchange(this.words, WORD, word, -word) !== word) return false;
    Atomics.notify(this.words, WORD);
    return true;
  }

  /** To be told of each message before it is sent: whoever waits for an answer has no reason to any more. */
  sending(): void {
    this.sent = (this.sent + 1) | 0;
    const word = Atomics.load(this.words, WORD);
    if (word > 0 && Atomics.compareExchange(this.words, WORD, word, 0) === word) Atomics.notify(this.words, WORD);
  }
}
