/** The search of a memory: what was asked last, its hits, the way from one to the next. */
import { announce } from '../../../lib/announce';
import { count } from '../../../lib/format';
import type { Wanted } from '../model/finder';
import { type Hits, listHits } from '../model/hits';
import { type Jumper, jumperOf } from '../model/jumper';
import { LongAnswer } from '../model/long-answer';
import type { MemorySession } from '../model/memory-session';
import { Signal } from '../model/signal';

export interface Search {
  readonly wanted: Wanted;
  /** In a sentence: `48 ?? 6c`. */
  readonly name: string;
}

/** Hits that are listed, and how many more each time that more are wanted. */
export const LISTED = 1000;
const MOST_LISTED = 100_000;

interface Question {
  readonly search: Search;
  readonly limit: number;
}

export class MemorySearch {
  /** The bar is opened or closed, or something else is searched for. */
  readonly onChange = new Signal();
  readonly list: LongAnswer<Question, Hits>;
  isOpen = false;
  current: Search | undefined;
  private limit = LISTED;
  private readonly jumper: Jumper;

  constructor(private readonly session: MemorySession) {
    this.jumper = jumperOf(session);
    this.list = new LongAnswer<Question, Hits>({
      ask: ({ search, limit }, job) => listHits({ id: session.source.id, job, limit }, search.wanted),
      cancel: (job) => void window.gpuIpc.contents.cancel({ job }),
      keyOf: ({ search, limit }) => JSON.stringify([search.wanted, limit]),
    });
  }

  open(): void {
    this.isOpen = true;
    this.onChange.emit();
  }

  /** Closes the bar; what was searched for stays, for the keys. */
  close(): void {
    this.isOpen = false;
    this.list.cancel();
    this.onChange.emit();
  }

  /** The hits of what is searched for now, those that are listed. */
  get hits(): Hits | undefined {
    return this.question && this.list.answerTo(this.question);
  }
  get question(): Question | undefined {
    return this.current && { search: this.current, limit: this.limit };
  }

  /** Looks for something: lists where it is, and goes to the first place from the cursor on. The same again: to the next. */
  async look(search: Search, direction: 1 | -1): Promise<void> {
    const same = this.current !== undefined && JSON.stringify(this.current.wanted) === JSON.stringify(search.wanted);
    if (same) return this.next(direction);
    this.current = search;
    this.limit = LISTED;
    this.onChange.emit();
    void this.refresh();
    await this.jumper.go(search.wanted, search.name, direction, 'here');
  }

  /** The next hit, or the previous one. Where it is not in the list, memory has changed: it is listed again. */
  async next(direction: 1 | -1): Promise<void> {
    if (this.current === undefined) return;
    const at = await this.jumper.go(this.current.wanted, this.current.name, direction);
    const { hits } = this;
    const known = hits === undefined || at === undefined || !hits.done || hits.offsets.includes(at);
    const gone = at === undefined && this.jumper.said?.kind === 'nothing' && (hits?.offsets.length ?? 0) > 0;
    if (!known || gone) void this.refresh();
  }

  /** Lists the hits again. */
  async refresh(): Promise<void> {
    if (this.question === undefined || this.session.ended) return;
    const hits = await this.list.ask(this.question);
    if (hits === undefined) return;
    announce(hits.done ? count(hits.offsets.length, 'hit') : `${count(hits.offsets.length, 'hit')} and more`);
    this.onChange.emit();
  }

  more(): void {
    this.limit = Math.min(MOST_LISTED, this.limit * 10);
    this.onChange.emit();
    void this.refresh();
  }
  get canListMore(): boolean {
    return this.hits?.done === false && this.limit < MOST_LISTED;
  }
}

const searches = new WeakMap<MemorySession, MemorySearch>();

export function searchOf(session: MemorySession): MemorySearch {
  const known = searches.get(session) ?? new MemorySearch(session);
  searches.set(session, known);
  return known;
}
