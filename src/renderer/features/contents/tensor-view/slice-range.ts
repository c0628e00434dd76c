/** From the least to the greatest number of a whole slice, found where the memory is. */

import { fail, ok, type Result } from '#contract/result';
import { checkLayout } from '#contract/tensor/shape';
import { cellPlace, tableSize } from '#contract/tensor/slice';
import { LongAnswer } from '../model/long-answer';
import type { MemorySession } from '../model/memory-session';
import type { TensorChoice } from './choice';

type Range = { readonly low: number; readonly high: number };
type Question = Pick<TensorChoice, 'layout' | 'slice'>;

/** Bytes from the first to the last cell of the slice; what lies between cells counts as well. */
function sliceBytes({ layout, slice }: Question): { readonly offset: number; readonly length: number } {
  const { rows, columns } = tableSize(layout.shape, slice);
  const strides = [slice.rows, slice.columns].map((axis) => (axis === null ? 0 : (layout.strides[axis] as number)));
  const { byte } = cellPlace(layout, slice, 0, 0);
  const found = checkLayout({ ...layout, shape: [rows, columns], strides, offset: byte }, Number.MAX_SAFE_INTEGER);
  return found.ok
    ? { offset: found.value.start, length: found.value.end - found.value.start }
    : { offset: 0, length: 0 };
}

async function ask(session: MemorySession, question: Question, job: string): Promise<Result<Range>> {
  const range = sliceBytes(question);
  if (range.length === 0) return fail({ code: 'invalid-argument', message: 'The slice has no elements.' });
  const { dtype } = question.layout;
  const result = await window.gpuIpc.contents.statistics({ id: session.source.id, dtype, ...range, bins: 0, job });
  if (!result.ok) return result;
  const [low, high] = [Number(result.value.min), Number(result.value.max)];
  if (result.value.min === null || result.value.max === null || !Number.isFinite(low + high)) {
    return fail({ code: 'invalid-argument', message: 'It has no least and greatest number.' });
  }
  return ok({ low, high });
}

const known = new WeakMap<MemorySession, LongAnswer<Question, Range>>();

export const sliceRanges = {
  /** The one of a session. */
  of(session: MemorySession): LongAnswer<Question, Range> {
    const made =
      known.get(session) ??
      new LongAnswer<Question, Range>({
        ask: (question, job) => ask(session, question, job),
        cancel: (job) => void window.gpuIpc.contents.cancel({ job }),
        keyOf: ({ layout, slice }) => JSON.stringify([layout, slice]),
      });
    known.set(session, made);
    return made;
  },
};
