/** Which dialog of the Inspector is open. One at a time. */
import { create } from 'zustand';

export type OpenDialog =
  | { readonly kind: 'new-buffer' }
  | { readonly kind: 'new-event' }
  /** `from`: where it begins; at the live exports, when there are any, unless given. */
  | { readonly kind: 'import'; readonly from?: 'list' | 'text' | 'process' }
  /** `id`: an export. Code that opens it elsewhere, or its descriptor. */
  | { readonly kind: 'code'; readonly id: string; readonly show?: 'code' | 'descriptor' }
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
