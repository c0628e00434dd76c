/** Going to the next place where something is: one search at a time for a memory, what came of it in a sentence. */
import type { DtypeId } from '#contract/dtypes';
import type { IpcError } from '#contract/result';
import { formatBytes } from '#contract/units';
import { announce } from '../../../lib/announce';
import { hexOffset } from '../../../lib/bytes-format';
import { findNext, kindWanted, type ValueKind, type Wanted } from './finder';
import { newJob } from './long-answer';
import type { MemorySession } from './memory-session';
import { Signal } from './signal';

export type Said =
  | { readonly kind: 'place'; readonly text: string; readonly wrapped: boolean }
  | { readonly kind: 'nothing'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string; readonly error: IpcError };

/** What was said goes away after this long. */
const SAID_MS = 6000;

/** What is searched: bytes that stand for those of the memory from `base` on, as a snapshot of it does. */
export interface Within {
  readonly id: string;
  readonly base: number;
  readonly bytes: number;
}

export class Jumper {
  readonly onChange = new Signal();
  /** The search that is under way. */
  job: string | undefined;
  said: Said | undefined;
  private forgetting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly session: MemorySession) {}

  /**
   * Puts the selection on the next place (`direction` 1) or the previous one, round the ends.
   * @param name  of what is looked for, in a sentence: `NaN`
   * @param first  whether the place where the cursor is counts
   * @param within  what is searched, the memory itself unless given
   * @returns the offset, undefined when there is none, when it failed, or when another jump came after this one
   */
  async go(
    wanted: Wanted,
    name: string,
    direction: 1 | -1,
    first: 'here' | 'beyond' = 'beyond',
    within?: Within,
  ): Promise<number | undefined> {
    const { session } = this;
    this.cancel();
    const job = newJob();
    this.job = job;
    this.onChange.emit();
    const { id, base, bytes: size } = within ?? { id: session.source.id, base: 0, bytes: session.size };
    const start = Math.max(0, Math.min(size - 1, session.selection.start - base));
    const from = first === 'here' ? start - direction : start;
    const result = await findNext(window.gpuIpc.contents.search, { id, size, job }, wanted, from, direction);
    if (this.job !== job) return undefined;
    this.job = undefined;
    if (!result.ok) {
      const cancelled = result.error.code === 'cancelled';
      const text = cancelled
        ? `Looking for ${name} was cancelled.`
        : `Looking for ${name} failed. ${result.error.message}`;
      this.say(cancelled ? { kind: 'nothing', text } : { kind: 'failed', text, error: result.error });
      return undefined;
    }
    const place = result.value;
    if (place === undefined) {
      this.say({ kind: 'nothing', text: `No ${name} in ${formatBytes(size)}` });
      return undefined;
    }
    const offset = base + place.offset;
    session.goTo(offset, wanted.bytes);
    const end = direction > 0 ? 'from the beginning again' : 'from the end again';
    this.say({
      kind: 'place',
      text: `${name} at ${hexOffset(offset)}${place.wrapped ? `, ${end}` : ''}`,
      wrapped: place.wrapped,
    });
    return offset;
  }

  /** The same for a kind of value of a type, little-endian as statistics count them. */
  goToKind(kind: ValueKind, dtype: DtypeId, direction: 1 | -1, within?: Within): Promise<number | undefined> {
    const wanted = kindWanted(kind, dtype);
    if (wanted !== undefined) return this.go(wanted, kindNames[kind], direction, 'beyond', within);
    this.say({ kind: 'nothing', text: `${dtype} has no ${kindNames[kind]}` });
    return Promise.resolve(undefined);
  }

  /** The same for whatever is no finite number, in the byte order of the session. */
  goToNotFinite(dtype: DtypeId, direction: 1 | -1): Promise<number | undefined> {
    const { order } = this.session;
    const [nan, inf] = [kindWanted('nan', dtype, order), kindWanted('inf', dtype, order)];
    if (nan === undefined || inf === undefined) return this.goToKind('nan', dtype, direction);
    return this.go({ ...nan, queries: [...nan.queries, ...inf.queries] }, 'NaN or Inf', direction);
  }

  cancel(): void {
    if (this.job === undefined) return;
    void window.gpuIpc.contents.cancel({ job: this.job });
    this.job = undefined;
    this.onChange.emit();
  }

  private say(said: Said): void {
    this.said = said;
    announce(said.text);
    clearTimeout(this.forgetting);
    this.forgetting = setTimeout(() => {
      this.said = undefined;
      this.onChange.emit();
    }, SAID_MS);
    this.onChange.emit();
  }
}

export const kindNames: Readonly<Record<ValueKind, string>> = {
  nan: 'NaN',
  inf: 'Inf',
  denormal: 'denormal',
  zero: 'zero',
  negative: 'negative value',
};

const jumpers = new WeakMap<MemorySession, Jumper>();

export function jumperOf(session: MemorySession): Jumper {
  const known = jumpers.get(session) ?? new Jumper(session);
  jumpers.set(session, known);
  return known;
}
