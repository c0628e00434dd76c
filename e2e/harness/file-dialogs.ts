/** The file dialogs of the system, which cannot be seen from here. */
import type { App } from './app';

/** Has them answer this path from now on; undefined for nothing chosen. */
export async function answerFileDialogs(app: App, path: string | undefined): Promise<void> {
  await app.electron.evaluate(({ dialog }, chosen) => {
    dialog.showSaveDialog = async () => ({ canceled: chosen === undefined, filePath: chosen ?? '' });
    dialog.showOpenDialog = async () => ({
      canceled: chosen === undefined,
      filePaths: chosen === undefined ? [] : [chosen],
    });
  }, path);
}
