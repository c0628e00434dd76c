/** Writing a part of memory or of a snapshot into a file that somebody chose: raw, as .npy or as CSV. */
import type { CheckedArgs } from '#contract/calls';
import { bytesOfElements, type DtypeId, dtypes, elementsInBytes } from '#contract/dtypes';
import { npyHeader } from '#contract/npy';
import { formatCount } from '#contract/units';
import type { RunningJob } from '#host/contents/jobs';
import { invalid } from '#host/problems';
import { CsvLines, MOST_CSV_ELEMENTS } from './csv';
import { checkedRange, type Part, pieces } from './reading';
import { writeWholeFile } from './whole-file';

type Args = Pick<CheckedArgs<'contents.save'>, 'as' | 'offset' | 'length' | 'dtype' | 'shape'>;
interface Described {
  readonly label: string;
  readonly bytes: number;
  readonly dtype?: DtypeId;
}

/** What is going to be written, known before anybody is asked where. */
export interface SavePlan {
  readonly offset: number;
  readonly length: number;
  readonly as: Args['as'];
  readonly dtype: DtypeId;
  readonly header: Uint8Array | undefined;
  /** Of CSV: values in a row. */
  readonly columns: number | undefined;
  /** What the file does not say as the memory does. */
  readonly note: string | undefined;
}

/** CSV is made in small steps: each is a moment in which main does nothing else. */
const CSV_PIECE_BYTES = 16 * 1024;

/** @throws GpuIpcError `out-of-range`, or `invalid-argument` when shape and bytes do not fit */
export function planSave(of: Described, args: Args): SavePlan {
  const { as } = args;
  const dtype = args.dtype ?? of.dtype ?? 'u8';
  const wanted = args.shape === undefined ? args.length : (args.length ?? shapeBytes(args.shape, dtype));
  const { offset, length } = checkedRange(of, args.offset, wanted);
  const plain = { offset, length, as, dtype, header: undefined, columns: undefined, note: undefined };
  if (as === 'raw') return plain;
  const elements = elementsInBytes(length, dtype);
  if (bytesOfElements(elements, dtype) !== length) {
    throw invalid(
      `${formatCount(length)} bytes are no whole number of ${dtype}, which have ${dtypes[dtype].bytes} each.`,
      'Choose another length or type, or save the raw bytes.',
    );
  }
  const shape = args.shape ?? [elements];
  if (shapeBytes(shape, dtype) !== length) {
    throw invalid(
      `The shape (${shape.join(', ')}) of ${dtype} has ${formatCount(shapeBytes(shape, dtype))} bytes, not ${formatCount(length)}.`,
    );
  }
  if (as === 'csv') {
    if (elements > MOST_CSV_ELEMENTS) {
      throw invalid(
        `${formatCount(elements)} elements are too many for CSV: at most ${formatCount(MOST_CSV_ELEMENTS)}.`,
        'Save a .npy file or the raw bytes.',
      );
    }
    return { ...plain, columns: shape.length > 1 ? shape.at(-1) : undefined };
  }
  const made = npyHeader(dtype, shape);
  if (!made.ok) throw invalid(made.message);
  return { ...plain, header: made.header, note: made.note };
}

const shapeBytes = (shape: readonly number[], dtype: DtypeId): number =>
  bytesOfElements(
    shape.reduce((product, one) => product * one, 1),
    dtype,
  );

/** @returns bytes in the file */
export async function save(part: Part, plan: SavePlan, path: string, job: RunningJob): Promise<number> {
  let written = 0;
  await writeWholeFile(path, async (add) => {
    const put = async (bytes: Uint8Array): Promise<void> => {
      if (bytes.byteLength > 0) await add(bytes);
      written += bytes.byteLength;
    };
    if (plan.header !== undefined) await put(plan.header);
    let done = 0;
    const csv = plan.as === 'csv' ? new CsvLines(plan.dtype, part.offset, plan.columns) : undefined;
    for await (const bytes of csv === undefined ? pieces(part, job) : pieces(part, job, CSV_PIECE_BYTES)) {
      await put(csv === undefined ? bytes : Buffer.from(csv.add(bytes)));
      done += bytes.byteLength;
      job.progress(done, part.length);
      job.check();
    }
    if (csv !== undefined) await put(Buffer.from(csv.end()));
  });
  return written;
}

/** A name to propose: what the memory is called, without what file systems do not take. */
export function proposedName(label: string, extension: string): string {
  const name = label.replace(/[^\p{L}\p{N} ._-]+/gu, '-').replace(/^[-. ]+|[-. ]+$/g, '');
  return `${name === '' ? 'memory' : name}.${extension}`;
}
