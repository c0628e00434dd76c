import './Dialog.css';
import './float.css';
import { AlertDialog as BaseAlert } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import { cx } from './cx';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The body; for a question (`alert`) the sentences that say what will happen. */
  readonly children: ReactNode;
  /** The row of buttons at the foot. */
  readonly footer: ReactNode;
  /** A question about something that cannot be undone: role alertdialog, a click beside it does not close it. */
  readonly alert?: boolean;
  /** `page`: for what is read as a page, such as code. */
  readonly width?: 'narrow' | 'normal' | 'wide' | 'page';
  /** One height whatever is in it: nothing moves away under the pointer while answers arrive. */
  readonly steady?: boolean;
  readonly initialFocus?: RefObject<HTMLElement | null>;
  /** Makes the dialog a form: Enter in a field submits it. */
  readonly onSubmit?: () => void;
}

/** A dialog in the middle of the window. Focus stays in it and returns to where it was; Esc closes. */
export function Dialog({
  open,
  onClose,
  title,
  children,
  footer,
  alert = false,
  width = 'normal',
  steady = false,
  initialFocus,
  onSubmit,
}: DialogProps) {
  const Base = alert ? BaseAlert : BaseDialog;
  const inside = (
    <>
      <div className="dlg-b">
        <Base.Title className="dlg-t">{title}</Base.Title>
        {children}
      </div>
      <div className="dlg-f">{footer}</div>
    </>
  );
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="dlg-back" />
        <Base.Popup
          className={cx('float dlg', width, alert && 'alert', steady && 'steady')}
          initialFocus={initialFocus}
        >
          {onSubmit === undefined ? (
            inside
          ) : (
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault();
                onSubmit();
              }}
            >
              {inside}
            </form>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
