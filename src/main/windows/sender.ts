/** Who sent a message: item 17 of Electron's checklist. Nothing else of a message is looked at before this. */
import type { IpcMainInvokeEvent } from 'electron';
import type { IpcError } from '#contract/result';
import { isOwnUrl, ORIGIN } from '../origin';
import type { WindowRecord, WindowRegistry } from './registry';

/** The parts of the event that decide. Frames are compared by identity. */
type Sender = Pick<IpcMainInvokeEvent, 'senderFrame'> & {
  readonly sender: { readonly id: number; readonly mainFrame: unknown };
};

/** The window that sent it, if it is one of ours and its main frame shows our own page. */
export function senderOf(event: Sender, registry: WindowRegistry): WindowRecord | IpcError {
  const record = registry.get(event.sender.id);
  const frame = event.senderFrame;
  if (record === undefined) return refused('this window is not one of the app');
  // A frame that navigated away or was closed since has no frame any more.
  if (frame === null || frame === undefined) return refused('the frame is gone');
  if (frame !== event.sender.mainFrame) return refused('the frame is not the main frame of its window');
  // about:blank has the origin of the page before it, so the origin alone would not do.
  if (frame.origin !== ORIGIN || !isOwnUrl(frame.url)) return refused('the page is not of this app');
  return record;
}

const refused = (why: string): IpcError => ({ code: 'not-allowed', message: `Refused: ${why}.` });
