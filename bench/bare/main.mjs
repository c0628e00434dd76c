/** The smallest Electron app with the same security settings as ours: an empty window and one call. */
import { join } from 'node:path';
import { app, BrowserWindow, ipcMain } from 'electron';

if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
ipcMain.handle('bytes', (_event, length) => new Uint8Array(length));
// Not awaited: Electron becomes ready only when this module has been loaded.
app.whenReady().then(() =>
  new BrowserWindow({
    width: 1440,
    height: 900,
    webPreferences: { preload: join(import.meta.dirname, 'preload.cjs'), sandbox: true, contextIsolation: true },
  }).loadFile(join(import.meta.dirname, 'index.html')),
);
