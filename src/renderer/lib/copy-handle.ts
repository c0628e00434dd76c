/** Handles leave the app only here and only on purpose: asked for, printed, put on the clipboard. */
import { type HandleForm, handleFormNames, printHandle } from '#contract/handle-text';
import { act } from './act';
import { request } from './api';
import { copyText } from './clipboard';

/** The forms that the menus offer, in this order. */
export const copyForms: readonly HandleForm[] = ['hex', 'base64', 'c-array', 'python-bytes', 'csharp-array'];

/** Copies the 64 bytes of an export. Answers whether it worked. */
export async function copyHandle(exportId: string, form: HandleForm): Promise<boolean> {
  const done = await act(
    `Copy the handle as ${handleFormNames[form]}`,
    async () => {
      const { handle } = await request('handles.reveal', { exportId });
      await copyText(printHandle(handle, form));
      return true;
    },
    `The handle is copied as ${handleFormNames[form]}`,
  );
  return done === true;
}
