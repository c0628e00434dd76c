/** What is selected: one thing for the whole window. Table, Details, Contents and the drawing follow it. */
import { create } from 'zustand';

export type Selection =
  /** A group or child of the handle table: the id of an allocation, mapping, event or event import, or of a foreign group. */
  | { readonly kind: 'object'; readonly id: string }
  | { readonly kind: 'device'; readonly ordinal: number }
  | { readonly kind: 'peer'; readonly id: string };

export const useSelection = create<{ readonly selection: Selection | undefined }>(() => ({ selection: undefined }));

export function select(selection: Selection | undefined): void {
  useSelection.setState({ selection });
}
export const selectObject = (id: string): void => select({ kind: 'object', id });

/** Id of the selected object, or undefined when something else or nothing is selected. */
export const useSelectedObject = (): string | undefined =>
  useSelection(({ selection }) => (selection?.kind === 'object' ? selection.id : undefined));
