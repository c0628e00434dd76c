/** Where the focus goes when a dialog closes and what had it before is gone, or nothing had it. */
import { useEffect } from 'react';
import { useDialog } from '../lib/dialogs';

/** Long enough for the dialog to give the focus back, and for a command to move it. */
const SETTLE_MS = 100;

/** Keeps the focus from falling to the page as a whole, where no key says anything: to the table of handles instead. */
export function useFocusHome(): void {
  const open = useDialog(({ dialog }) => dialog !== undefined);
  useEffect(() => {
    if (!open) return;
    // Runs when the dialog closes.
    return () => {
      setTimeout(() => {
        if (document.activeElement !== document.body || useDialog.getState().dialog !== undefined) return;
        document.querySelector<HTMLElement>('[data-area="handles"] [role="grid"]')?.focus({ preventScroll: true });
      }, SETTLE_MS);
    };
  }, [open]);
}
