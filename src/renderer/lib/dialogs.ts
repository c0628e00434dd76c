/** Which dialog of the Inspector is open. One at a time. */
import { create } from 'zustand';

export type OpenDialog =
  | { readonly kind: 'new-buffer' }
  | { readonly kind: 'new-event' }
  | { readonly kind: 'import' }
  /** `id`: an own allocation. */
  | { readonly kind: 'fill'; readonly id: string }
  /** `id`: an own allocation or open mapping. */
  | { readonly kind: 'write'; readonly id: string; readonly offset?: number }
  /** `id`: an own allocation or event. */
  | { readonly kind: 'free'; readonly id: string }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'sharing' };

export const useDialog = create<{ readonly dialog: OpenDialog | undefined }>(() => ({ dialog: undefined }));

export const openDialog = (dialog: OpenDialog): void => useDialog.setState({ dialog });
export const closeDialog = (): void => useDialog.setState({ dialog: undefined });
