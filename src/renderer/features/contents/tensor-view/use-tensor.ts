/** What the Tensor view shows of a session's memory, shared by its tools and its body. */
import type { MemorySession } from '../model/memory-session';
import { useKept } from '../model/use-kept';
import { firstChoice, type HeatChoice, type TensorChoice } from './choice';

export const useTensor = (session: MemorySession) =>
  useKept<TensorChoice>(session, 'tensor', () => firstChoice(session.dtype, session.size, session.source.data));

export const useHeat = (session: MemorySession) =>
  useKept<HeatChoice>(session, 'tensor heat', () => ({
    on: false,
    range: 'visible',
    low: 0,
    high: 1,
    colormap: 'viridis',
  }));

export interface TensorShow {
  readonly as: 'table' | 'plot';
  /** The line of the plot runs along the row of the cursor, or down its column. */
  readonly line: 'row' | 'column';
}

export const useShow = (session: MemorySession) =>
  useKept<TensorShow>(session, 'tensor show', () => ({ as: 'table', line: 'row' }));
