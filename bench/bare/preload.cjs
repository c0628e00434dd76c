/** One call, as directly as Electron allows it. */
const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('bare', {
  bytes: (/** @type {number} */ length) => ipcRenderer.invoke('bytes', length),
});
