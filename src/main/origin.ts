/** The one origin that pages of this app have. */
export const SCHEME = 'app';
export const HOST = 'gpu-ipc';
export const ORIGIN = `${SCHEME}://${HOST}`;

/** Whether a URL is of this app. Parsed, never compared by its beginning. */
export function isOwnUrl(url: string): boolean {
  try {
    const { protocol, host, username, password } = new URL(url);
    return protocol === `${SCHEME}:` && host === HOST && username === '' && password === '';
  } catch {
    return false;
  }
}
