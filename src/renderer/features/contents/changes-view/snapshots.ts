/** The snapshots of this app, as this window knows them: asked for again after each change. */
import type { ContentSnapshot } from '#contract/calls/contents';
import type { ByteRange } from '#contract/ranges';
import { formatSize } from '#contract/units';
import { announce } from '../../../lib/announce';
import { reportFailure } from '../../../lib/notices';
import { LongAnswer } from '../model/long-answer';
import type { MemorySession } from '../model/memory-session';
import { Signal } from '../model/signal';

export interface Taken {
  readonly list: readonly ContentSnapshot[];
  readonly memoryBytes: number;
  readonly memoryLimit: number;
}

export interface TakeQuestion {
  readonly id: string;
  readonly name: string;
  readonly range: ByteRange | undefined;
}

class Snapshots {
  readonly onChange = new Signal();
  taken: Taken = { list: [], memoryBytes: 0, memoryLimit: 0 };

  /** Newest state. Failures are shown as notices: they have no place of their own. */
  async refresh(): Promise<void> {
    const result = await window.gpuIpc.contents.snapshots();
    if (!result.ok) {
      reportFailure('List the snapshots', result.error);
      return;
    }
    const { snapshots: list, memoryBytes, memoryLimit } = result.value;
    this.taken = { list, memoryBytes, memoryLimit };
    this.onChange.emit();
  }

  async drop({ id, name }: ContentSnapshot): Promise<void> {
    const result = await window.gpuIpc.contents.drop({ id });
    if (result.ok) announce(`${name} is dropped`);
    else reportFailure(`Drop ${name}`, result.error);
    await this.refresh();
  }
}

export const snapshots = new Snapshots();

const takers = new WeakMap<MemorySession, LongAnswer<TakeQuestion, ContentSnapshot>>();

/** Takes snapshots of a memory. */
export function takerOf(session: MemorySession): LongAnswer<TakeQuestion, ContentSnapshot> {
  const known = takers.get(session);
  if (known !== undefined) return known;
  const made = new LongAnswer<TakeQuestion, ContentSnapshot>({
    ask: async ({ id, name, range }, job) => {
      const result = await window.gpuIpc.contents.snapshot({ id, name, ...range, job });
      if (result.ok) announce(`${name} is taken, ${formatSize(result.value.bytes)}`);
      await snapshots.refresh();
      return result;
    },
    cancel: (job) => void window.gpuIpc.contents.cancel({ job }),
    keyOf: (question) => JSON.stringify(question),
  });
  takers.set(session, made);
  return made;
}

/** A name that no snapshot has yet: `snapshot 3`. */
export function freshName(list: readonly ContentSnapshot[]): string {
  const names = new Set(list.map(({ name }) => name));
  let number = list.length + 1;
  while (names.has(`snapshot ${number}`)) number++;
  return `snapshot ${number}`;
}
