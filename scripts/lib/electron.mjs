/** Which Electron the scripts and tests run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { at } from './paths.mjs';
import { readText } from './stamp.mjs';

export const executableName =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[/** @type {string} */ (process.platform)] ??
  'electron';

/** The runtime made from an npm package, where the official one cannot be had. */
export const runtimeFolder = at('.runtime/electron');

/**
 * The Electron to run: ELECTRON_OVERRIDE_DIST_PATH, the official one, or the one from npm.
 * @returns {string | undefined} absolute path of the executable, undefined when there is none yet
 */
export function electronExecutable() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) return existing(join(override, executableName));
  const wanted = JSON.parse(readText(at('node_modules/electron/package.json')) ?? '{}').version;
  const official = at('node_modules/electron/dist');
  // path.txt is what the electron package writes when the extraction is complete.
  const complete = readText(at('node_modules/electron/path.txt')) !== undefined;
  if (complete && readText(join(official, 'version'))?.trim().replace(/^v/, '') === wanted) {
    return existing(join(official, executableName));
  }
  return existing(join(runtimeFolder, executableName));
}

/** @param {string} path */
const existing = (path) => (existsSync(path) ? path : undefined);

/** Arguments before the app folder: as root Chromium's process sandbox cannot work. @param {NodeJS.Platform} [platform] */
export const electronFlags = (platform = process.platform) =>
  platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
