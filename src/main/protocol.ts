/**
 * Serves the built pages as app://gpu-ipc/…, an origin of their own with headers that file:// could not have.
 *
 * With `registerBufferProtocol`, although `protocol.handle` is meant to take its place: that one needs Node's fetch,
 * and loading it with HTTP/2 and TLS took the main process longer than everything else before the first page.
 */
import { readFile } from 'node:fs';
import { protocol } from 'electron';
import { contentSecurityPolicy } from './csp';
import { SCHEME } from './origin';
import { pageFile } from './page-files';
import type { Theme } from './settings/theme';

const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
} as const;

const nothing = Buffer.alloc(0);

/** Must be called before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/**
 * @param root   absolute folder of the built pages
 * @param theme  the theme in force; pages arrive with it, so that none flashes in the other
 */
export function servePages(root: string, theme: () => Theme): void {
  protocol.registerBufferProtocol(SCHEME, (request, callback) => {
    if (request.method !== 'GET') return callback({ statusCode: 405, headers, data: nothing });
    const file = pageFile(root, request.url);
    if (file === undefined) return callback({ statusCode: 404, headers, data: nothing });
    readFile(file.path, (error, content) => {
      if (error !== null) return callback({ statusCode: 404, headers, data: nothing });
      const data = file.path.endsWith('.html') ? withTheme(content, theme()) : content;
      callback({ headers: { ...headers, 'Content-Type': file.type }, data });
    });
  });
}

const withTheme = (html: Buffer, theme: Theme): Buffer =>
  Buffer.from(html.toString('utf8').replace(/(<html[^>]*\sdata-theme=")(?:dark|light)"/, `$1${theme}"`));
