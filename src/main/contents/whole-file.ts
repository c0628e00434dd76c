/** Writing a file so that it is there with all its bytes or not at all. */
import { randomBytes } from 'node:crypto';
import { promises } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { GpuIpcError } from '#contract/result';

export type FileHandle = Awaited<ReturnType<typeof promises.open>>;

/**
 * Writes beside the file under another name, which becomes that file when everything is written. When it ends early
 * what was written is removed, and what was at `path` stays. A symbolic link stays too: where it points to is written.
 * @param onlyMode who may use the file; without, whoever may use what is there, or with nothing there as new files are
 * @throws GpuIpcError `not-allowed` or `unsupported` with the system's reason, or when something else than a file is
 *   there (a device, a pipe); what `write` throws
 */
export async function writeWholeFile(
  path: string,
  write: (add: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  onlyMode?: number,
) {
  let part: string | undefined;
  let file: FileHandle | undefined;
  try {
    const target = await targetOf(path);
    part = join(dirname(target.path), `.gpu-ipc-${randomBytes(6).toString('hex')}.part`);
    file = await promises.open(part, 'wx', onlyMode ?? target.mode ?? 0o644);
    const open = file;
    // What was there has a mode that the umask does not narrow.
    if (onlyMode === undefined && target.mode !== undefined) await open.chmod(target.mode);
    await write((bytes) => writeAll(open, bytes));
    await file.close();
    file = undefined;
    await promises.rename(part, target.path);
  } catch (thrown) {
    await file?.close().catch(() => {});
    if (part !== undefined) await promises.rm(part, { force: true }).catch(() => {});
    throw fileProblem(thrown, path);
  }
}

interface Target {
  readonly path: string;
  /** Of what is there; undefined where nothing is. */
  readonly mode: number | undefined;
}

/** Where a path leads to, through symbolic links, also to a place where nothing is yet. */
async function targetOf(path: string, links = 0): Promise<Target> {
  const here = await promises.lstat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (here === undefined) return { path, mode: undefined };
  if (here.isSymbolicLink()) {
    if (links === MOST_LINKS) throw Object.assign(new Error('ELOOP'), { code: 'ELOOP' });
    return targetOf(resolve(dirname(path), await promises.readlink(path)), links + 1);
  }
  if (here.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
  if (!here.isFile()) {
    throw new GpuIpcError({
      code: 'unsupported',
      message: `${path}: it is a device, a pipe or a socket, and would be replaced by a file.`,
      hint: 'Choose another name or folder.',
    });
  }
  return { path, mode: here.mode & 0o777 };
}

/** As many as Linux follows. */
const MOST_LINKS = 40;

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    done += (await file.write(bytes, done, bytes.byteLength - done)).bytesWritten;
  }
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  ENOENT: 'it, or its folder, does not exist',
  EISDIR: 'it is a folder',
  EFBIG: 'it would be too large for its file system',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** A failure of the system in words; other things as they are. */
export function fileProblem(thrown: unknown, path: string): unknown {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  if (thrown instanceof GpuIpcError || typeof code !== 'string') return thrown;
  const why = words[code] ?? code;
  const notAllowed = code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
  return new GpuIpcError({ code: notAllowed ? 'not-allowed' : 'unsupported', message: `${path}: ${why}.` });
}
