/** Which dialog of the Inspector is open. One at a time. */
import { create } from 'zustand';

export type OpenDialog =
  /** `poolId`: a pool to allocate from. */
  | { readonly kind: 'new-buffer'; readonly poolId?: string }
  | { readonly kind: 'new-pool' }
  | { readonly kind: 'new-physical' }
  | { readonly kind: 'reserve' }
  /** `rangeId`: an own range; `physicalId`: physical memory of this process. At least one of them. */
  | { readonly kind: 'map'; readonly rangeId?: string; readonly physicalId?: string; readonly offset?: number }
  | { readonly kind: 'descriptors' }
  /** How it can be shared: an allocation or mapping, or, without one, an address that is typed. */
  | { readonly kind: 'verdict'; readonly id?: string }
  | { readonly kind: 'new-event' }
  /** `from`: where it begins; at the live exports, when there are any, unless given. */
  | { readonly kind: 'import'; readonly from?: 'list' | 'text' | 'process' }
  /** `id`: an export. Code that opens it elsewhere, or its descriptor. */
  | { readonly kind: 'code'; readonly id: string; readonly show?: 'code' | 'descriptor' }
  /** `id`: an own allocation. */
  | { readonly kind: 'fill'; readonly id: string }
  /** `id`: an own allocation or open mapping. */
  | { readonly kind: 'write'; readonly id: string; readonly offset?: number }
  /** `id`: an own allocation, event, pool or physical memory, or an import of the latter two. */
  | { readonly kind: 'free'; readonly id: string }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'sharing' };

export const useDialog = create<{ readonly dialog: OpenDialog | undefined }>(() => ({ dialog: undefined }));

export const openDialog = (dialog: OpenDialog): void => useDialog.setState({ dialog });
export const closeDialog = (): void => useDialog.setState({ dialog: undefined });
