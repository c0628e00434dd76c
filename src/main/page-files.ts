/** Which file a URL of this app names, and what kind of file that is. Pure, so that it can be tried with hostile URLs. */
import { extname, resolve, sep } from 'node:path';
import { isOwnUrl } from './origin';

/** Everything a build of the pages contains. Other files are not served. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
};

export interface PageFile {
  readonly path: string;
  readonly type: string;
}

/**
 * @param root  absolute folder that nothing outside of is ever served
 * @returns undefined when the URL names nothing in there
 */
export function pageFile(root: string, url: string): PageFile | undefined {
  if (!isOwnUrl(url)) return undefined;
  let name: string;
  try {
    name = decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
  // A backslash separates folders on Windows, and a colon names a drive or a stream there.
  if (/[\0\\:]/.test(name)) return undefined;
  const path = resolve(root, `.${name}`);
  if (!path.startsWith(root + sep)) return undefined;
  const type = types[extname(path).toLowerCase()];
  return type === undefined ? undefined : { path, type };
}
