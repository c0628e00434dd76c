/** Where to and where from: the only way in which a window's call reaches a file. The page never names one. */
import { basename, join } from 'node:path';
import { app, dialog, type FileFilter } from 'electron';
import type { Windows } from '../windows/windows';

export interface FileDialogs {
  /** Path of the file to write; undefined when nothing was chosen. `name` is proposed. */
  save(windowId: number, name: string, filters: FileFilter[]): Promise<string | undefined>;
  /** Path of the file to read; undefined when nothing was chosen. */
  open(windowId: number, title: string, filters: FileFilter[]): Promise<string | undefined>;
}

export function fileDialogs(windows: Pick<Windows, 'get'>): FileDialogs {
  return {
    async save(windowId, name, filters) {
      const window = windows.get(windowId);
      if (window === undefined) return undefined;
      const defaultPath = join(app.getPath('documents'), basename(name));
      const { canceled, filePath } = await dialog.showSaveDialog(window, { defaultPath, filters });
      return canceled || filePath === '' ? undefined : filePath;
    },
    async open(windowId, title, filters) {
      const window = windows.get(windowId);
      if (window === undefined) return undefined;
      const { canceled, filePaths } = await dialog.showOpenDialog(window, { title, filters, properties: ['openFile'] });
      return canceled ? undefined : filePaths[0];
    },
  };
}
