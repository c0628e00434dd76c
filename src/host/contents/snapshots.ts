/** Copies of memory that stay when the memory changes or goes: in page-locked memory, large ones in a file. */
import { freemem } from 'node:os';
import type { CallValue } from '#contract/calls';
import type { ContentSnapshot } from '#contract/calls/contents';
import type { HostState } from '../host-state';
import { notFound } from '../problems';
import { type Arena, BLOCK_BYTES, type Block } from './arena';
import type { Copies, Copy } from './copies';
import type { RunningJob } from './jobs';
import type { MemoryPart } from './parts';
import { ScratchFile } from './scratch-file';

/** Of snapshots in memory, whatever the machine has. */
const MOST_BYTES = 8 * 1024 ** 3;
/** Copies on their way at once, and blocks that are made ahead of them. */
const AHEAD = 4;

/** What of a snapshot lies in one block, or in ordinary memory when it is less than half of one. */
interface MemoryStore {
  readonly where: 'memory';
  readonly pieces: Block[];
  readonly blocks: Block[];
}

interface FileStore {
  readonly where: 'file';
  readonly file: ScratchFile;
}

export class Snapshot {
  constructor(
    readonly record: ContentSnapshot,
    private readonly store: MemoryStore | FileStore,
  ) {}

  /** Bytes of their own, or a view of the snapshot's: not to be written to or transferred. */
  read(offset: number, length: number): Block | Promise<Block> {
    const { store } = this;
    if (store.where === 'file') {
      const bytes = new Uint8Array(length);
      return store.file.read(bytes, offset).then(() => bytes);
    }
    const first = Math.floor(offset / BLOCK_BYTES);
    const within = offset - first * BLOCK_BYTES;
    const piece = store.pieces[first];
    if (piece !== undefined && within + length <= piece.byteLength) return piece.subarray(within, within + length);
    const bytes = new Uint8Array(length);
    for (let at = offset; at < offset + length; ) {
      const index = Math.floor(at / BLOCK_BYTES);
      const from = at - index * BLOCK_BYTES;
      const part = (store.pieces[index] as Block).subarray(from, from + offset + length - at);
      bytes.set(part, at - offset);
      at += part.byteLength;
    }
    return bytes;
  }

  /** Lets go of the bytes. */
  release(arena: Arena): void {
    if (this.store.where === 'file') this.store.file.close();
    else {
      arena.giveBack(this.store.blocks);
      this.store.pieces.length = 0;
      this.store.blocks.length = 0;
    }
  }
}

export class Snapshots {
  private readonly all = new Map<string, Snapshot>();
  private counted = 0;
  /** Bytes in memory, those that are being copied included. */
  private memoryBytes = 0;

  constructor(
    private readonly host: HostState,
    private readonly arena: Arena,
    private readonly copies: Copies,
  ) {}

  get(id: string): Snapshot | undefined {
    return this.all.get(id);
  }

  list(): CallValue<'contents.snapshots'> {
    return {
      snapshots: [...this.all.values()].map(({ record }) => record),
      memoryBytes: this.memoryBytes,
      memoryLimit: this.memoryLimit(),
    };
  }

  /** Copies a part of a memory. When it ends early nothing is kept. */
  async take(part: MemoryPart, name: string, job: RunningJob): Promise<ContentSnapshot> {
    const { target, offset, length } = part;
    const fits = this.memoryBytes + length <= this.memoryLimit();
    const store = (fits ? await this.intoMemory(part, job) : undefined) ?? (await this.intoFile(part, job));
    this.counted += 1;
    const record: ContentSnapshot = {
      id: `${this.host.peerId}.s${this.counted}`,
      name,
      objectId: target.id,
      label: target.label,
      offset,
      bytes: length,
      takenAt: Date.now(),
      where: store.where,
    };
    this.all.set(record.id, new Snapshot(record, store));
    return record;
  }

  drop(id: string): void {
    const snapshot = this.all.get(id);
    if (snapshot === undefined) throw notFound('snapshot', id);
    this.all.delete(id);
    if (snapshot.record.where === 'memory') this.memoryBytes -= snapshot.record.bytes;
    snapshot.release(this.arena);
  }

  end(): void {
    for (const id of [...this.all.keys()]) this.drop(id);
  }

  /** A quarter of what this process can have, snapshots counted as free, at most 8 GiB. Whole blocks. */
  private memoryLimit(): number {
    const { snapshotMemory } = this.host.snapshotPlace;
    if (snapshotMemory !== undefined) return snapshotMemory;
    const free = (process.availableMemory?.() ?? freemem()) + this.memoryBytes + this.arena.idleBytes;
    const quarter = Math.floor(free / 4 / BLOCK_BYTES) * BLOCK_BYTES;
    return Math.min(MOST_BYTES, quarter);
  }

  /** Undefined when this process can have no more memory. */
  private async intoMemory(part: MemoryPart, job: RunningJob): Promise<MemoryStore | undefined> {
    const { arena, copies } = this;
    const { target, offset, length } = part;
    const store: MemoryStore = { where: 'memory', pieces: [], blocks: [] };
    const count = Math.ceil(length / BLOCK_BYTES);
    const coming: Promise<Block>[] = [];
    const flying: { readonly copy: Copy; readonly bytes: number }[] = [];
    let asked = 0;
    let done = 0;
    this.memoryBytes += length;
    const settle = async (): Promise<void> => {
      const [oldest] = flying;
      if (oldest === undefined) return;
      await copies.finished(oldest.copy, () => job.pause());
      flying.shift();
      done += oldest.bytes;
      job.progress(done, length);
    };
    try {
      for (let index = 0; index < count; index++) {
        while (asked < count && asked < index + AHEAD) {
          const block = arena.take(target.device);
          block.catch(() => {});
          coming.push(block);
          asked += 1;
        }
        const block = await (coming.shift() as Promise<Block>);
        store.blocks.push(block);
        job.check();
        part.check();
        const at = index * BLOCK_BYTES;
        const into = block.subarray(0, Math.min(BLOCK_BYTES, length - at));
        flying.push({ copy: copies.start(target, offset + at, into), bytes: into.byteLength });
        store.pieces.push(into);
        while (flying.length >= AHEAD) await settle();
        job.check();
      }
      while (flying.length > 0) await settle();
    } catch (thrown) {
      this.memoryBytes -= length;
      await this.takeBack(store, flying, coming);
      if (thrown instanceof RangeError) return undefined;
      throw thrown;
    }
    keepSmallRest(store, arena);
    return store;
  }

  /** Nothing may write into a block that another one gets next. */
  private async takeBack(
    store: MemoryStore,
    flying: readonly { readonly copy: Copy }[],
    coming: readonly Promise<Block>[],
  ): Promise<void> {
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    for (const { copy } of flying) {
      // When the driver does not answer any more, nothing is written either: the context is lost.
      await this.copies.finished(copy, pause).catch(() => {});
    }
    for (const block of await Promise.allSettled(coming)) {
      if (block.status === 'fulfilled') store.blocks.push(block.value);
    }
    this.arena.giveBack(store.blocks);
  }

  private async intoFile(part: MemoryPart, job: RunningJob): Promise<FileStore> {
    const file = ScratchFile.open(part.length, this.host.snapshotPlace.scratchFolder);
    try {
      let done = 0;
      for await (const bytes of part.pieces(this.copies, this.arena, job)) {
        await file.write(bytes, done);
        done += bytes.byteLength;
        job.progress(done, part.length);
      }
    } catch (thrown) {
      file.close();
      throw thrown;
    }
    return { where: 'file', file };
  }
}

/** The last piece in memory of its own size when it is small: a block for each small snapshot would be mostly empty. */
function keepSmallRest(store: MemoryStore, arena: Arena): void {
  const last = store.pieces.at(-1);
  if (last === undefined || last.byteLength > BLOCK_BYTES / 2) return;
  store.pieces[store.pieces.length - 1] = last.slice();
  const block = store.blocks.pop();
  if (block !== undefined) arena.giveBack([block]);
}
