/** Writing the bytes of a file that somebody chose into own memory. */
import { constants, promises } from 'node:fs';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { readNpy } from '#contract/npy';
import { GpuIpcError } from '#contract/result';
import { formatCount } from '#contract/units';
import type { RunningJob } from '#host/contents/jobs';
import { invalid } from '#host/problems';
import type { DriverHost } from '../hosts/driver-host';
import { PIECE_BYTES } from './reading';
import { type FileHandle, fileProblem } from './whole-file';

export interface Target {
  readonly host: Pick<DriverHost, 'request'>;
  readonly id: string;
  readonly label: string;
  readonly bytes: number;
  readonly dtype: DtypeId | undefined;
}

export interface Loaded {
  /** Bytes written into the memory. */
  readonly bytes: number;
  readonly note: string | undefined;
}

/**
 * All of a file, of an .npy file its elements. Nothing is written when it does not fit; when it ends early, what was
 * written stays.
 */
export async function load(path: string, target: Target, offset: number, job: RunningJob): Promise<Loaded> {
  let file: FileHandle | undefined;
  try {
    // A pipe would keep whoever opens it waiting.
    file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) throw invalid(`${path} is no file.`);
    const data = await dataOf(file, path, stat.size, target.dtype);
    const room = target.bytes - offset;
    if (data.bytes === 0) throw invalid(`${path} has no bytes to load.`);
    if (data.bytes > room) {
      throw new GpuIpcError({
        code: 'out-of-range',
        message: `${path} has ${formatCount(data.bytes)} bytes; ${target.label} has room for ${formatCount(room)} from offset ${formatCount(offset)} on.`,
        hint: 'Make a larger buffer, or load a smaller file.',
      });
    }
    for (let done = 0; done < data.bytes; ) {
      job.check();
      // A message moves its bytes: each piece has memory of its own.
      const bytes = new Uint8Array(Math.min(PIECE_BYTES, data.bytes - done));
      await readAll(file, bytes, data.start + done, path);
      const to = { id: target.id, offset: offset + done, bytes };
      const result = await job.unlessEnded(target.host.request('buffers.write', to));
      if (!result.ok) throw new GpuIpcError(result.error);
      done += Math.min(PIECE_BYTES, data.bytes - done);
      job.progress(done, data.bytes);
    }
    return { bytes: data.bytes, note: data.note };
  } catch (thrown) {
    throw fileProblem(thrown, path);
  } finally {
    await file?.close();
  }
}

interface Data {
  readonly start: number;
  readonly bytes: number;
  readonly note: string | undefined;
}

/** Bytes that are enough for most headers. */
const HEADER_BYTES = 4096;
const MAGIC = '\x93NUMPY';

async function dataOf(file: FileHandle, path: string, size: number, dtype: DtypeId | undefined): Promise<Data> {
  let first = new Uint8Array(Math.min(size, HEADER_BYTES));
  await readAll(file, first, 0, path);
  const hasMagic = Buffer.from(first.subarray(0, MAGIC.length)).toString('latin1') === MAGIC;
  if (!hasMagic && !path.toLowerCase().endsWith('.npy')) return { start: 0, bytes: size, note: undefined };
  let reading = readNpy(first);
  if (!reading.ok && reading.needs !== undefined && reading.needs > first.byteLength && reading.needs <= size) {
    first = new Uint8Array(reading.needs);
    await readAll(file, first, 0, path);
    reading = readNpy(first);
  }
  if (!reading.ok) throw invalid(`${path}: ${reading.message}`);
  if (reading.dataOffset + reading.dataBytes > size) {
    throw invalid(`${path} ends before its last element.`, 'It was not written to its end, or it was cut.');
  }
  return { start: reading.dataOffset, bytes: reading.dataBytes, note: noteOf(reading, dtype) };
}

/** What is not as the memory is looked at: the bytes are loaded as they are. */
function noteOf(
  { dtype, order, fortran, shape }: { dtype: DtypeId; order: string; fortran: boolean; shape: readonly number[] },
  into: DtypeId | undefined,
): string | undefined {
  const notes: string[] = [];
  if (into !== undefined && into !== dtype) {
    notes.push(`The file holds ${dtypes[dtype].numpy ?? dtype} (${dtype}), the buffer is ${into}.`);
  }
  if (order === 'big' && dtypes[dtype].bytes > 1) notes.push('Its elements are big-endian.');
  if (fortran && shape.length > 1) notes.push('Its first dimension lies side by side (Fortran order).');
  return notes.length === 0 ? undefined : `${notes.join(' ')} The bytes were loaded as they are.`;
}

async function readAll(file: FileHandle, into: Uint8Array, from: number, path: string): Promise<void> {
  for (let done = 0; done < into.byteLength; ) {
    const { bytesRead } = await file.read(into, done, into.byteLength - done, from + done);
    if (bytesRead === 0) throw invalid(`${path} has become shorter meanwhile.`);
    done += bytesRead;
  }
}
