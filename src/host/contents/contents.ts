/** Answers about whole buffers, snapshots and decoded structures: the calls `contents.*` that a host answers. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import type { InternalCalls } from '#contract/host-protocol';
import { fitsIn } from '#contract/ranges';
import { formatBytes } from '#contract/units';
import { MAX_TRANSFER_BYTES } from '#contract/values';
import type { HostState } from '../host-state';
import { bigEndianPattern } from '../kernels/search-cpu';
import { closed, invalid, notFound, outOfRange } from '../problems';
import { read } from '../reader';
import { sliceOf, statisticsOf } from './answers';
import { Arena } from './arena';
import { compareParts } from './compare';
import { Copies } from './copies';
import { decode } from './decode';
import type { RunningJob } from './jobs';
import { kernelJob } from './kernel-job';
import { isSnapshotId, MemoryPart, memoryPart, type SnapshotPart, snapshotPart } from './parts';
import { searchQuery } from './query';
import { searchHere } from './search-here';
import { Snapshots } from './snapshots';
import { statisticsHere } from './statistics-here';

const DEFAULT_BINS = 64;
const DEFAULT_HITS = 1_000;
const DEFAULT_RANGES = 1_000;

export class Contents {
  readonly arena: Arena;
  readonly copies: Copies;
  private readonly snapshots: Snapshots;

  constructor(private readonly host: HostState) {
    this.arena = new Arena(host.session, host.delays);
    this.copies = new Copies(host.session);
    this.snapshots = new Snapshots(host, this.arena, this.copies);
  }

  async statistics(args: CheckedArgs<'contents.statistics'>): Promise<CallValue<'contents.statistics'>> {
    const part = this.part(args.id, args.offset, args.length);
    const { dtype, bins = DEFAULT_BINS } = args;
    const options = { dtype, bins };
    return this.measured(args.job, [part], async (job) => ({
      ...statisticsOf(
        part instanceof MemoryPart
          ? await this.host.kernels.statistics(part.range(), options, kernelJob(job, part))
          : await statisticsHere(this, part, options, job),
      ),
      bytes: part.length,
    }));
  }

  async summary(args: CheckedArgs<'contents.summary'>): Promise<CallValue<'contents.summary'>> {
    const part = memoryPart(this.host, args.id, args);
    const { dtype, slices } = args;
    return this.measured(args.job, [part], async (job) => {
      const found = await this.host.kernels.summary(part.range(), { dtype, slices }, kernelJob(job, part));
      return { slices: found.map((slice) => sliceOf(slice, part.offset)) };
    });
  }

  async search(args: CheckedArgs<'contents.search'>): Promise<CallValue<'contents.search'>> {
    const query = searchQuery(args.query);
    const order = ('byteOrder' in args.query && args.query.byteOrder) || 'little';
    const { from = 0, limit = DEFAULT_HITS, backwards = false } = args;
    const { bytes, label } = this.describe(args);
    const { to = bytes } = args;
    if (from > to) throw invalid(`The search ends at ${to}, before it begins at ${from}.`);
    if (to > bytes) throw outOfRange({ offset: from, length: to - from }, label, bytes);
    if (from === to) return { hits: [], done: true, tookMs: 0 };
    // Values lie at multiples of their size from where the search begins.
    const part = this.part(args.id, from, to - from);
    const forKernel = order === 'little' ? query : bigEndianPattern(query);
    const { hits, done, tookMs } = await this.measured(args.job, [part], async (job) => {
      const options = { limit, backwards };
      if (part instanceof MemoryPart && forKernel !== undefined)
        return this.host.kernels.search(part.range(), { query: forKernel, ...options }, kernelJob(job, part));
      return searchHere(this, part, { query, order, ...options }, job);
    });
    return { hits: hits.map((hit) => from + hit), done, tookMs };
  }

  async compare(args: InternalCalls['contents.compareHere']['args']): Promise<CallValue<'contents.compare'>> {
    const { dtype, tolerance = 0, limit = DEFAULT_RANGES } = args;
    const { absolute = 0, relative = 0 } = typeof tolerance === 'number' ? { absolute: tolerance } : tolerance;
    const [left, right] = [this.part(args.a, args.aOffset, args.length), this.part(args.b, args.bOffset, args.length)];
    const length = Math.min(left.length, right.length);
    const [a, b] = [this.part(args.a, args.aOffset, length), this.part(args.b, args.bOffset, length)];
    return this.measured(args.job, [a, b], async (job) => {
      const { host, copies, arena } = this;
      const found = await compareParts({ host, copies, arena }, a, b, { dtype, absolute, relative, limit }, job);
      return {
        equal: found.differing === 0 && left.length === right.length,
        ...found,
        bytes: length,
        unmatchedBytes: Math.abs(left.length - right.length),
      };
    });
  }

  async snapshot(args: CheckedArgs<'contents.snapshot'>): Promise<CallValue<'contents.snapshot'>> {
    const part = memoryPart(this.host, args.id, args);
    return this.host.jobs.run({ job: args.job, objects: part.objects }, (job) =>
      this.snapshots.take(part, args.name, job),
    );
  }

  list(): CallValue<'contents.snapshots'> {
    return this.snapshots.list();
  }

  async drop({ id }: CheckedArgs<'contents.drop'>): Promise<undefined> {
    await this.host.jobs.endOf(id, closed('The snapshot was dropped.'));
    this.snapshots.drop(id);
  }

  async decode({ id, ...args }: CheckedArgs<'contents.decode'>): Promise<CallValue<'contents.decode'>> {
    const { bytes, label } = this.describe({ id });
    const { offset = 0 } = args;
    if (offset >= bytes) throw outOfRange({ offset, length: 1 }, label, bytes);
    const memory = {
      bytes,
      read: (at: number, length: number) => {
        const answer = this.read({ id, offset: at, length });
        // At once: the bytes may lie in memory that the next read uses again.
        return answer instanceof Promise ? answer.then((later) => later.bytes) : answer.bytes.slice();
      },
    };
    return decode(memory, args);
  }

  /** Of a snapshot its bytes, of memory what it holds now. */
  read(args: CheckedArgs<'memory.read'>): CallValue<'memory.read'> | Promise<CallValue<'memory.read'>> {
    const snapshot = this.snapshots.get(args.id);
    if (snapshot === undefined) return read(this.host, args);
    const { offset, length } = args;
    const { name, bytes: size, takenAt } = snapshot.record;
    if (!fitsIn({ offset, length }, size)) throw outOfRange({ offset, length }, name, size);
    if (length > MAX_TRANSFER_BYTES) throw invalid(`One read moves at most 64 MiB, not ${formatBytes(length)}.`);
    const bytes = snapshot.read(offset, length);
    // The bytes that are sent are the sender's no more: of a snapshot in memory a copy goes.
    return bytes instanceof Promise
      ? bytes.then((own) => ({ bytes: own, takenAt }))
      : { bytes: bytes.slice(), takenAt };
  }

  /** What main has to know of an id before it works with it. */
  describe({ id }: InternalCalls['contents.describe']['args']): InternalCalls['contents.describe']['value'] {
    const snapshot = this.snapshots.get(id);
    if (snapshot !== undefined) return { kind: 'snapshot', label: snapshot.record.name, bytes: snapshot.record.bytes };
    if (isSnapshotId(id)) throw notFound('snapshot', id);
    const { label, bytes } = this.host.objects.memory(id);
    const own = this.host.objects.allocations.get(id);
    return own === undefined
      ? { kind: 'mapping', label, bytes }
      : { kind: 'allocation', label, bytes, dtype: own.record.dtype };
  }

  /** Ends everything that runs and lets go of everything; the context must still live. */
  end(): void {
    this.snapshots.end();
    this.copies.end();
    this.arena.end();
  }

  private part(id: string, offset: number | undefined, length: number | undefined): MemoryPart | SnapshotPart {
    const snapshot = this.snapshots.get(id);
    if (snapshot !== undefined) return snapshotPart(snapshot, { offset, length });
    if (isSnapshotId(id)) throw notFound('snapshot', id);
    return memoryPart(this.host, id, { offset, length });
  }

  /** Runs it as a job, and adds when and how long. */
  private async measured<T extends object>(
    job: string | undefined,
    parts: readonly (MemoryPart | SnapshotPart)[],
    work: (job: RunningJob) => Promise<T>,
  ): Promise<T & { tookMs: number; takenAt: number }> {
    const began = performance.now();
    const value = await this.host.jobs.run({ job, objects: parts.flatMap(({ objects }) => objects) }, work);
    return { ...value, tookMs: performance.now() - began, takenAt: Date.now() };
  }
}
