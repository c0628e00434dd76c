/** Handles leave the app only here and only on purpose: asked for, printed, put on the clipboard. */
import { type HandleForm, handleFormWords, printHandle } from '#contract/handle-text';
import { act } from './act';
import { request } from './api';
import { copyText } from './clipboard';

/** Copies the 64 bytes of an export. Throws GpuIpcError, or Error when the system does not take the text. */
export async function takeHandle(exportId: string, form: HandleForm): Promise<void> {
  const { handle } = await request('handles.reveal', { exportId });
  await copyText(printHandle(handle, form));
}

/** The same for where a failure has no place of its own: a notice shows it. Answers whether it worked. */
export async function copyHandle(exportId: string, form: HandleForm): Promise<boolean> {
  const done = await act(
    `Copy the handle as ${handleFormWords[form]}`,
    async () => {
      await takeHandle(exportId, form);
      return true;
    },
    `The handle is copied as ${handleFormWords[form]}`,
  );
  return done === true;
}
