/** Files that hold handles: a share descriptor that is written, and any text that is read to look for handles in it. */
import { constants, promises } from 'node:fs';
import { fileText, MAX_FILE, tooLarge } from '#contract/paste/file-text';
import { GpuIpcError } from '#contract/result';
import { type FileHandle, fileProblem, writeWholeFile } from './contents/whole-file';

/** A descriptor is a capability: nobody but this user may read it. */
const OWNER_ONLY = 0o600;

/**
 * Writes a descriptor, with a newline at the end; a file that is there is replaced, and its mode with it.
 * @throws GpuIpcError with the system's reason
 */
export function writeDescriptorFile(path: string, descriptor: string): Promise<void> {
  return writeWholeFile(path, (add) => add(Buffer.from(`${descriptor}\n`)), OWNER_ONLY);
}

/**
 * The text of a file, of one with 64 bytes these as hex.
 * @throws GpuIpcError `out-of-range` when it is too large, `invalid-argument` when it is no text, or the system's reason
 */
export async function readHandleFile(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    // A pipe would keep whoever opens it waiting.
    file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) throw new GpuIpcError({ code: 'invalid-argument', message: `${path} is no file.` });
    const refused = tooLarge(stat.size);
    if (refused !== undefined) throw unreadable('out-of-range', path, refused);
    // It may grow meanwhile: one byte more than is read tells.
    const bytes = Buffer.alloc(MAX_FILE + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.byteLength; length += got) {
      got = (await file.read(bytes, length, bytes.byteLength - length, length)).bytesRead;
    }
    const read = fileText(bytes.subarray(0, length));
    if (!read.ok) throw unreadable('invalid-argument', path, read);
    return read.text;
  } catch (thrown) {
    throw fileProblem(thrown, path);
  } finally {
    await file?.close();
  }
}

const unreadable = (
  code: 'out-of-range' | 'invalid-argument',
  path: string,
  { problem, hint }: { readonly problem: string; readonly hint: string },
) => new GpuIpcError({ code, message: `${path} cannot be read. ${problem}`, hint });
