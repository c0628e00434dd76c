/** Serves the built pages as app://gpu-ipc/…, an origin of their own with headers that file:// could not have. */
import { promises as files } from 'node:fs';
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
  protocol.handle(SCHEME, async (request) => {
    if (request.method !== 'GET') return new Response(null, { status: 405 });
    const file = pageFile(root, request.url);
    if (file === undefined) return new Response(null, { status: 404, headers });
    try {
      const content = await files.readFile(file.path);
      const body = file.path.endsWith('.html') ? withTheme(content.toString('utf8'), theme()) : content;
      return new Response(body, { headers: { ...headers, 'Content-Type': file.type } });
    } catch {
      return new Response(null, { status: 404, headers });
    }
  });
}

const withTheme = (html: string, theme: Theme): string =>
  html.replace(/(<html[^>]*\sdata-theme=")(?:dark|light)"/, `$1${theme}"`);
