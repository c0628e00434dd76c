/** Parts of memory and of snapshots, as a call names them: checked, and read piece by piece. */
import { fitsIn } from '#contract/ranges';
import { offsetBy } from '#native/cuda/index';
import { assertUsable } from '../address-range';
import type { HostState } from '../host-state';
import type { MemoryRange } from '../kernels/types';
import type { MemoryTarget } from '../objects';
import { invalid, outOfRange } from '../problems';
import { type Arena, BLOCK_BYTES, type Block } from './arena';
import type { Copies, Copy } from './copies';
import type { RunningJob } from './jobs';
import type { Snapshot } from './snapshots';

interface Wanted {
  readonly offset?: number | undefined;
  /** The rest unless given. */
  readonly length?: number | undefined;
}

/** A part of an allocation or a mapping. */
export class MemoryPart {
  constructor(
    private readonly host: HostState,
    readonly target: MemoryTarget,
    readonly offset: number,
    readonly length: number,
  ) {}

  /** Ids of the objects that must not go while it is read. */
  get objects(): string[] {
    return [this.target.id];
  }

  /** @throws GpuIpcError when it was freed, closed or unmapped since it was named */
  check(): void {
    const now = this.host.objects.memory(this.target.id);
    assertUsable(now, this, 'read');
  }

  /** A part of it. */
  part(offset: number, length: number): MemoryPart {
    return new MemoryPart(this.host, this.target, this.offset + offset, length);
  }

  /** The first `length` bytes of it, as the whole-buffer calls take it. */
  range(length = this.length): MemoryRange {
    const { id, device, pointer, label } = this.target;
    return { device, pointer: offsetBy(pointer, this.offset), bytes: length, label, objectId: id };
  }

  /**
   * All bytes in order. Each piece is valid until the next one is asked for: while one is used, the next is on its way
   * into the other of two blocks.
   */
  async *pieces(copies: Copies, arena: Arena, job: RunningJob): AsyncGenerator<Uint8Array, void, void> {
    const { target, length } = this;
    const count = Math.ceil(length / BLOCK_BYTES);
    const blocks: Block[] = [];
    let next: Copy | undefined;
    const start = (index: number): Copy => {
      job.check();
      this.check();
      const at = index * BLOCK_BYTES;
      const block = blocks[index % 2] as Block;
      return copies.start(target, this.offset + at, block.subarray(0, Math.min(BLOCK_BYTES, length - at)));
    };
    try {
      for (let block = 0; block < Math.min(2, count); block++) blocks.push(await arena.take(target.device));
      next = start(0);
      for (let index = 0; index < count; index++) {
        const present = next as Copy;
        await copies.finished(present, () => job.pause());
        next = undefined;
        if (index + 1 < count) next = start(index + 1);
        yield present.into;
        job.check();
      }
    } finally {
      const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
      if (next !== undefined) await copies.finished(next, pause).catch(() => {});
      arena.giveBack(blocks);
    }
  }
}

/** A part of a snapshot. */
export class SnapshotPart {
  constructor(
    readonly snapshot: Snapshot,
    readonly offset: number,
    readonly length: number,
  ) {}

  get objects(): string[] {
    return [this.snapshot.record.id];
  }

  /** Bytes of it, valid until the snapshot is dropped; not to be written to. */
  read(offset: number, length: number): Block | Promise<Block> {
    return this.snapshot.read(this.offset + offset, length);
  }

  async *pieces(_copies: Copies, _arena: Arena, job: RunningJob): AsyncGenerator<Uint8Array, void, void> {
    for (let at = 0; at < this.length; at += BLOCK_BYTES) {
      job.check();
      yield await this.snapshot.read(this.offset + at, Math.min(BLOCK_BYTES, this.length - at));
    }
  }
}

export const isSnapshotId = (id: string): boolean => /\.s\d+$/.test(id);

/** @throws GpuIpcError `out-of-range` when it does not lie inside, or is not mapped everywhere; `closed`, `not-found` */
export function memoryPart(host: HostState, id: string, { offset = 0, length }: Wanted): MemoryPart {
  if (isSnapshotId(id)) {
    throw invalid(
      `${id} is a snapshot; this is computed of memory.`,
      'Ask for the statistics of the snapshot, search it, compare it, or read its bytes.',
    );
  }
  const target = host.objects.memory(id);
  const wanted = checked(target.label, target.bytes, offset, length);
  assertUsable(target, wanted, 'read');
  return new MemoryPart(host, target, wanted.offset, wanted.length);
}

export function snapshotPart(snapshot: Snapshot, { offset = 0, length }: Wanted): SnapshotPart {
  const { name, bytes } = snapshot.record;
  const wanted = checked(name, bytes, offset, length);
  return new SnapshotPart(snapshot, wanted.offset, wanted.length);
}

function checked(label: string, size: number, offset: number, length: number | undefined) {
  const wanted = { offset, length: length ?? size - offset };
  if (wanted.length < 1 || !fitsIn(wanted, size)) throw outOfRange({ offset, length: length ?? 1 }, label, size);
  return wanted;
}
