/** What the field of the edit mode is about, where a view has elements and a cursor of its own. */
import type { DtypeId } from '#contract/dtypes';
import type { MemorySession } from './memory-session';
import { useKept } from './use-kept';

interface EditedElement {
  /** Of its first byte. */
  readonly offset: number;
  readonly dtype: DtypeId;
  /** Which of the elements that share a byte; 0 for all others. */
  readonly lane: number;
  /** Puts the cursor of the view on the element after it. */
  readonly next: () => void;
}

/** Undefined where the view edits what is under the cursor of the session, in its type. */
export const useEditedElement = (session: MemorySession) =>
  useKept<EditedElement | undefined>(session, 'edited element', () => undefined);
