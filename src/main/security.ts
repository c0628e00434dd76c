/**
 * What no page of this app may do, whatever runs in it. Each rule names the item of Electron's security checklist that
 * it answers; docs/security.md has the whole list with the tests.
 */
import { app, type Session, session, shell, type WebContents } from 'electron';
import { isOwnUrl } from './origin';

/** 5: what a page may be granted. Copying text is all that the pages need. */
const grantedPermissions: readonly string[] = ['clipboard-sanitized-write'];

/** 15: where links may lead, in the person's own browser. */
const linkHosts: readonly string[] = ['docs.nvidia.com'];

/** Whether a link may be handed to the person's browser. */
export function mayOpenExternally(url: string): boolean {
  try {
    const { protocol, hostname, port, username, password } = new URL(url);
    return protocol === 'https:' && port === '' && username === '' && password === '' && linkHosts.includes(hostname);
  } catch {
    return false;
  }
}

/** To be called once, before any window is made. */
export function secureApp(): void {
  app.on('web-contents-created', (_event, contents) => secureContents(contents));
  app.on('session-created', secureSession);
  void app.whenReady().then(() => secureSession(session.defaultSession));
  // 8: a certificate that does not hold is never accepted; nothing of ours uses one.
  app.on('certificate-error', (event, _contents, _url, _error, _certificate, callback) => {
    event.preventDefault();
    callback(false);
  });
}

function secureContents(contents: WebContents): void {
  // 13: pages stay where main loaded them; no frame goes anywhere.
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-frame-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  // 14, 15: no page opens a window.
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenExternally(url)) void shell.openExternal(url);
    return { action: 'deny' };
  });
  // 11, 12: no webviews.
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function secureSession(target: Session): void {
  target.setPermissionRequestHandler((_contents, permission, callback) => {
    callback(grantedPermissions.includes(permission));
  });
  target.setPermissionCheckHandler((_contents, permission) => grantedPermissions.includes(permission));
  target.setDevicePermissionHandler(() => false);
  // 1: nothing is loaded from anywhere but the app itself, even by a dependency that tries.
  target.webRequest.onBeforeRequest((details, callback) => callback({ cancel: !mayRequest(details.url) }));
  // Nothing of a page becomes a file, whatever it calls a download.
  target.on('will-download', (event) => event.preventDefault());
  target.setSpellCheckerEnabled(false);
}

/** Pictures may be made of bytes at hand (`data:`, `blob:`), as the content security policy says too. */
function mayRequest(url: string): boolean {
  if (isOwnUrl(url) || url.startsWith('data:') || url.startsWith('blob:app://')) return true;
  return !app.isPackaged && url.startsWith('devtools:');
}
