/** Writing a file so that it is there with all its bytes or not at all. */
import { randomBytes } from 'node:crypto';
import { promises } from 'node:fs';
import { dirname, join } from 'node:path';
import { GpuIpcError } from '#contract/result';

export type FileHandle = Awaited<ReturnType<typeof promises.open>>;

/**
 * Writes beside `path` under another name, which becomes `path` when everything is written. When it ends early that
 * file is removed, and what was at `path` stays.
 * @param mode who may use the file
 * @throws GpuIpcError `not-allowed` or `unsupported` with the system's reason; what `write` throws
 */
export async function writeWholeFile(
  path: string,
  write: (add: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  mode = 0o644,
) {
  const part = join(dirname(path), `.gpu-ipc-${randomBytes(6).toString('hex')}.part`);
  let file: FileHandle | undefined;
  try {
    file = await promises.open(part, 'wx', mode);
    const open = file;
    await write((bytes) => writeAll(open, bytes));
    await file.close();
    file = undefined;
    await promises.rename(part, path);
  } catch (thrown) {
    await file?.close().catch(() => {});
    await promises.rm(part, { force: true }).catch(() => {});
    throw fileProblem(thrown, path);
  }
}

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
};

/** A failure of the system in words; other things as they are. */
export function fileProblem(thrown: unknown, path: string): unknown {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  if (thrown instanceof GpuIpcError || typeof code !== 'string') return thrown;
  const why = words[code] ?? code;
  const notAllowed = code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
  return new GpuIpcError({ code: notAllowed ? 'not-allowed' : 'unsupported', message: `${path}: ${why}.` });
}
