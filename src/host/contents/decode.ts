/** Memory as a format says it: what has to be read is found out while it is decoded, and read in a few rounds. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { decodeStructure, type Piece } from '#contract/structure/decode';
import { neededBytes } from '#contract/structure/layout';
import { type FormatReading, parseFormat } from '#contract/structure/parse';
import { invalid } from '../problems';

/** All rounds together; what is beyond it stays unread in the answer. */
const MOST_BYTES = 1024 * 1024;
/** Each may follow lengths and pointers that the one before it has read. */
const MOST_ROUNDS = 8;
/** What is missing is read with what follows it, more in each round: of records each says where the next one begins. */
const READ_AHEAD = 4096;

type Args = CheckedArgs<'contents.decode'>;

/** What bytes come from. */
export interface Readable {
  /** Bytes that it has. */
  readonly bytes: number;
  /** Bytes of their own. */
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
}

/** The last format, which a window that follows memory asks for again and again. */
let last: { readonly text: string; readonly reading: FormatReading } | undefined;

/** @throws GpuIpcError `invalid-argument` that names line and column of what is wrong with the format */
export async function decode(
  memory: Readable,
  { offset = 0, format: text, byteOrder, path, from, elements }: Omit<Args, 'id'>,
): Promise<CallValue<'contents.decode'>> {
  if (last?.text !== text) last = { text, reading: parseFormat(text) };
  const { reading } = last;
  if (!reading.ok) {
    const [first] = reading.problems;
    const more = reading.problems.length - 1;
    throw invalid(
      `format ${first?.line}:${first?.column}: ${first?.message}${more > 0 ? ` (${more} more)` : ''}`,
      'Formats are described in docs/structure-format.md.',
    );
  }
  const available = Math.max(0, memory.bytes - offset);
  const options = {
    baseOffset: offset,
    available,
    ...(byteOrder !== undefined && { byteOrder }),
    ...(path !== undefined && { path }),
    ...(from !== undefined && { from }),
    ...(elements !== undefined && { limits: { children: elements } }),
  };
  const pieces: Piece[] = [];
  let bytes = 0;
  const takenAt = Date.now();
  const fetch = async (
    wanted: readonly { readonly offset: number; readonly bytes: number }[],
    least = 0,
  ): Promise<boolean> => {
    let any = false;
    for (const piece of wanted) {
      const length = Math.min(Math.max(piece.bytes, least), available - piece.offset, MOST_BYTES - bytes);
      if (length <= 0) continue;
      pieces.push({ offset: piece.offset, bytes: await memory.read(offset + piece.offset, length) });
      bytes += length;
      any = true;
    }
    return any;
  };
  // Of a large format the parts that are shown are asked for below.
  const needed = neededBytes(reading.format);
  if (needed.bytes <= MOST_BYTES / 4) await fetch([{ offset: 0, bytes: needed.bytes }]);
  for (let round = 0; ; round++) {
    const { root, missing } = decodeStructure(pieces, reading.format, options);
    if (missing.length === 0 || round === MOST_ROUNDS || !(await fetch(missing, READ_AHEAD * 2 ** round))) {
      return { root, bytes, takenAt };
    }
  }
}
