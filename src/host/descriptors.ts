/**
 * File descriptors that stand for shared memory, on their way between processes. An export holds its descriptors open in
 * this process (see exports.ts); here they are listed, and given to one other process at a time over a socket with a name
 * that nobody can guess. Who imports closes the copies that arrived, whatever happens.
 */
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import type { DescriptorSource, HeldDescriptor, InternalCalls } from '#contract/host-protocol';
import { GpuIpcError } from '#contract/result';
import { DescriptorChannel, DescriptorListener } from '#native/posix/descriptor-channel';
import { copyForeignDescriptor } from '#native/posix/foreign-descriptors';
import { closeDescriptor, PosixError } from '#native/posix/libc';
import { MOST_DESCRIPTORS } from '#native/posix/messages';
import { presence } from '#native/posix/process';
import { closeExport } from './exports';
import type { HostState } from './host-state';
import type { Objects, OwnExport } from './objects';
import { closed, notFound } from './problems';

/** For how long an offer stands, and an importer waits. Both are processes of one machine that are told at once. */
const OFFER_MS = 10_000;
/** How often it is looked whether the importer is still there. */
const LOOK_MS = 250;
const PAUSE_MS = 2;

const PAYLOAD = Uint8Array.of(1);

/** Every descriptor that is open here for an export. */
export const heldDescriptors = ({ objects }: HostState): HeldDescriptor[] =>
  [...objects.exports.values()].flatMap(({ record }) =>
    (record.descriptors ?? []).map(({ fd, bytes }) => ({ exportId: record.id, fd, bytes, file: fileOf(fd) })),
  );

/** Closes the descriptors of an export. */
export function closeHeld(
  host: HostState,
  { exportId }: InternalCalls['descriptors.close']['args'],
): InternalCalls['descriptors.close']['value'] {
  const made = exportOf(host.objects, exportId);
  if (openDescriptors(made.record).length === 0) throw noDescriptors(host.objects, made);
  closeExport(host, made);
}

/** The offers of a host that stand. */
export class Offers {
  private readonly listeners = new Set<DescriptorListener>();
  private readonly channels = new Set<DescriptorChannel>();

  constructor(private readonly objects: Objects) {}

  /** Answers when the socket listens; what happens there then is told to nobody here: the importer sees it. */
  make({ exportId, toPid }: InternalCalls['descriptors.offer']['args']): InternalCalls['descriptors.offer']['value'] {
    const made = exportOf(this.objects, exportId);
    if (openDescriptors(made.record).length === 0) throw noDescriptors(this.objects, made);
    return { name: this.give(() => openDescriptors(exportOf(this.objects, exportId).record), toPid) };
  }

  /**
   * The same for descriptors of no export.
   * @param open  those that are open now, the same as before or fewer: it is asked before each message
   * @returns the name under which the socket listens
   */
  give(open: () => readonly number[], toPid: number): string {
    const name = `gpu-ipc-${process.pid}-${randomBytes(16).toString('hex')}`;
    const listener = DescriptorListener.at(name);
    this.listeners.add(listener);
    void this.serve(listener, open, toPid);
    return name;
  }

  /** Ends them all. */
  end(): void {
    for (const listener of this.listeners) listener.close();
    for (const channel of this.channels) channel.close();
  }

  private async serve(listener: DescriptorListener, open: () => readonly number[], toPid: number): Promise<void> {
    const until = performance.now() + OFFER_MS;
    const left = () => Math.max(0, until - performance.now());
    let channel: DescriptorChannel | undefined;
    try {
      // Whoever else connects, by chance or to try, gets nothing and does not use the offer up.
      while (channel === undefined) channel = this.expected(await arrival(listener, left, toPid), toPid);
      this.channels.add(channel);
      for (let sent = 0; ; ) {
        // Asked for again each time: once they are closed the numbers may be other files.
        const fds = open();
        if (sent >= fds.length) break;
        if (channel.send({ payload: PAYLOAD, descriptors: fds.slice(sent, sent + MOST_DESCRIPTORS) })) {
          sent += MOST_DESCRIPTORS;
        } else if (left() === 0) break;
        else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    } catch {
      // Nobody came, or the importer or this host ended. Who waits for the descriptors sees the connection end.
    } finally {
      listener.close();
      this.listeners.delete(listener);
      if (channel !== undefined) {
        channel.close();
        this.channels.delete(channel);
      }
    }
  }

  private expected(channel: DescriptorChannel, pid: number): DescriptorChannel | undefined {
    try {
      if (channel.peer().pid === pid) return channel;
    } catch {}
    channel.close();
    return undefined;
  }
}

function exportOf(objects: Objects, exportId: string): OwnExport {
  const made = objects.exports.get(exportId);
  if (made === undefined) throw notFound('export', exportId);
  return made;
}

/** The next connection; not waited for any more when the one who should come is gone. */
async function arrival(listener: DescriptorListener, left: () => number, pid: number): Promise<DescriptorChannel> {
  for (;;) {
    try {
      return await listener.next(Math.min(LOOK_MS, left()));
    } catch (thrown) {
      if (!(thrown instanceof PosixError) || thrown.code !== 'ETIMEDOUT') throw thrown;
      if (left() === 0 || presence(pid) === 'gone') throw thrown;
    }
  }
}

const openDescriptors = ({ descriptors = [] }: { descriptors?: readonly { fd: number }[] | undefined }): number[] =>
  descriptors.map(({ fd }) => fd);

function noDescriptors(objects: Objects, { record }: OwnExport): GpuIpcError {
  if (record.state !== 'live') {
    return closed(
      'The file descriptors of this export are closed.',
      'Export it again. Whoever has it open keeps the memory.',
    );
  }
  const { kind, poolExportId } = record;
  if (poolExportId !== undefined) {
    const ofPool = objects.exports.get(poolExportId);
    const pool = ofPool && objects.pools.get(ofPool.record.objectId);
    return closed(
      `This export has no file descriptor of its own: memory of a pool travels by that of its pool, ${pool?.record.label ?? poolExportId}.`,
      'Close the descriptor of the pool’s export: then no memory of the pool can be opened any more. Whoever has it open keeps it.',
    );
  }
  return closed(
    'This export has no file descriptor: it is 64 bytes, which nobody can take back.',
    `${kind === 'event' ? 'Destroy the event' : 'Free the memory'} to end it. Whoever has it open keeps it.`,
  );
}

function fileOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

/**
 * Gets descriptors from where they are, has them used, and closes them.
 * @param count how many are expected
 * @throws GpuIpcError that says why they did not come, with what to do
 */
export async function withDescriptors<T>(
  source: DescriptorSource,
  count: number,
  use: (descriptors: readonly number[]) => T,
): Promise<T> {
  const descriptors: number[] = [];
  try {
    if (source.kind === 'offer') await receive(source.name, count, descriptors);
    else for (const fd of source.fds) descriptors.push(copied(source.pid, fd));
    return use(descriptors);
  } finally {
    for (const descriptor of descriptors) closeDescriptor(descriptor);
  }
}

/** Puts what arrives into `descriptors` at once, so that it is closed also when more does not come. */
async function receive(name: string, count: number, descriptors: number[]): Promise<void> {
  let channel: DescriptorChannel | undefined;
  try {
    channel = DescriptorChannel.connect(name);
    while (descriptors.length < count) {
      const message = await channel.next(OFFER_MS);
      if (message === 'end') throw new PosixError('recvmsg', 'ECONNRESET');
      descriptors.push(...message.descriptors);
    }
  } catch (thrown) {
    if (!(thrown instanceof PosixError)) throw thrown;
    throw closed(
      `The descriptors of this export did not arrive: ${thrown.message}.`,
      'Its process ended, or closed them, while they were on their way. Look whether the export is still live.',
    );
  } finally {
    channel?.close();
  }
}

function copied(pid: number, fd: number): number {
  try {
    return copyForeignDescriptor(pid, fd);
  } catch (thrown) {
    if (!(thrown instanceof PosixError)) throw thrown;
    throw foreignProblem(thrown, pid, fd);
  }
}

/** What a failed copy means and what to do. */
function foreignProblem({ code, message }: PosixError, pid: number, fd: number): GpuIpcError {
  const what = `Descriptor ${fd} of process ${pid}`;
  switch (code) {
    case 'ESRCH':
      return new GpuIpcError({
        code: 'not-found',
        message: `${what} cannot be taken: there is no process ${pid} (${message}).`,
        hint: 'The exporter has ended, or it counts its pid in another pid namespace (a container) than this app.',
      });
    case 'EBADF':
      return new GpuIpcError({
        code: 'not-found',
        message: `${what} is not open (${message}).`,
        hint: 'The exporter has closed it. Have it export again: the number may be another one then.',
      });
    case 'EPERM':
      return new GpuIpcError({
        code: 'not-allowed',
        message: `${what} may not be taken (${message}).`,
        hint: 'Taking a descriptor is allowed as debugging is: both processes belong to the same user and the kernel lets them (sysctl kernel.yama.ptrace_scope=0), or this one has CAP_SYS_PTRACE.',
      });
    default:
      return new GpuIpcError({
        code: 'unsupported',
        message: `${what} cannot be taken: ${message}.`,
        ...(code === 'ENOSYS'
          ? { hint: 'Taking a descriptor needs Linux 5.6 or later, and a container that permits pidfd_getfd.' }
          : {}),
      });
  }
}
