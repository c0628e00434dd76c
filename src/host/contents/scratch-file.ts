/** A file for bytes that are too many for memory. It has no name from the first moment on, so nothing can leave it behind. */
import { closeSync, mkdirSync, openSync, read, readSync, statfsSync, unlinkSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GpuIpcError } from '#contract/result';
import { formatSize } from '#contract/units';

const readAsync = promisify(read);
const writeAsync = promisify(write);
/** Reads up to this size come from the page cache within a millisecond: a promise would take longer. */
const SMALL_BYTES = 1024 * 1024;

let opened = 0;

export class ScratchFile {
  /** Reads and writes on their way. The number of a closed descriptor may be another file's at once. */
  private busy = 0;
  private isClosing = false;

  private constructor(private readonly descriptor: number) {}

  /**
   * @param bytes that it is going to hold
   * @param folder where; the system's folder for temporary files unless given
   * @throws GpuIpcError `unsupported` when they do not fit there, that or `not-allowed` when no file can be made there
   */
  static open(bytes: number, folder = tmpdir()): ScratchFile {
    try {
      return ScratchFile.make(bytes, folder);
    } catch (thrown) {
      throw fileProblem(thrown, `A snapshot of ${formatSize(bytes)} needs a file in ${folder}`);
    }
  }

  private static make(bytes: number, folder: string): ScratchFile {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < bytes) {
      throw new GpuIpcError({
        code: 'unsupported',
        message: `A snapshot of ${formatSize(bytes)} does not fit: ${folder} has ${formatSize(bavail * bsize)} free.`,
        hint: 'Drop other snapshots, or take one of a smaller range.',
      });
    }
    opened += 1;
    const path = join(folder, `gpu-ipc-snapshot-${process.pid}-${opened}-${Date.now()}`);
    const descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return new ScratchFile(descriptor);
  }

  /** Writes all bytes; they must not change before it resolves. */
  write(bytes: Uint8Array, at: number): Promise<void> {
    return this.using(() => this.writeAll(bytes, at));
  }

  private async writeAll(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.byteLength; ) {
      try {
        const { bytesWritten } = await writeAsync(this.descriptor, bytes, done, bytes.byteLength - done, at + done);
        done += bytesWritten;
      } catch (thrown) {
        throw fileProblem(thrown, 'The snapshot was not kept');
      }
    }
  }

  /** Fills `into`. */
  read(into: Uint8Array, at: number): Promise<void> {
    return this.using(() => this.readAll(into, at));
  }

  private async readAll(into: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < into.byteLength; ) {
      const left = into.byteLength - done;
      const got =
        left <= SMALL_BYTES
          ? readSync(this.descriptor, into, done, left, at + done)
          : (await readAsync(this.descriptor, into, done, left, at + done)).bytesRead;
      if (got === 0) throw new Error(`a snapshot ends at ${at + done}`);
      done += got;
    }
  }

  /** The kernel removes it with this; when something is read or written still, after that. */
  close(): void {
    this.isClosing = true;
    if (this.busy === 0) closeSync(this.descriptor);
  }

  private async using(work: () => Promise<void>): Promise<void> {
    if (this.isClosing) throw new Error('a snapshot was used after it was dropped');
    this.busy += 1;
    try {
      await work();
    } finally {
      this.busy -= 1;
      if (this.busy === 0 && this.isClosing) closeSync(this.descriptor);
    }
  }
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EEXIST: 'there is a file in place of the folder',
  ENOTDIR: 'there is a file in place of a folder',
  EIO: 'the disk answered an error',
};

/** A failure of the system in words; other things as they are. */
function fileProblem(thrown: unknown, what: string): unknown {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  if (thrown instanceof GpuIpcError || typeof code !== 'string') return thrown;
  return new GpuIpcError({
    code: ['EACCES', 'EPERM', 'EROFS'].includes(code) ? 'not-allowed' : 'unsupported',
    message: `${what}: ${words[code] ?? code}.`,
    hint: 'Make room or write access there, or take a snapshot of a smaller range, which stays in memory.',
  });
}
