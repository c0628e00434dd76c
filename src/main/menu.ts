/**
 * The application menu. macOS needs one for its standard commands; elsewhere the menu bar is hidden, and the menu gives
 * the keys for quitting, closing, zooming and full screen.
 */
import { app, Menu, type MenuItemConstructorOptions } from 'electron';

export function setMenu(): void {
  const onMac = process.platform === 'darwin';
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ];
  // Item of docs/security.md: a packaged app has no developer tools.
  if (!app.isPackaged) view.push({ type: 'separator' }, { role: 'toggleDevTools' });
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      onMac ? { role: 'appMenu' } : { label: 'App', submenu: [{ role: 'close' }, { role: 'quit' }] },
      { role: 'editMenu' },
      { label: 'View', submenu: view },
      ...(onMac ? [{ role: 'windowMenu' } as const] : []),
    ]),
  );
}
