/** The npm packages, exactly as package-lock.json has them. */
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { at } from '../lib/paths.mjs';
import { run } from '../lib/process.mjs';
import { readText } from '../lib/stamp.mjs';
import { progress, Stop } from '../lib/terminal.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockedPackage */

/**
 * Whether node_modules is what the lock file says. npm writes node_modules/.package-lock.json last, so an interrupted
 * installation never looks complete.
 * @param {string} wantedText package-lock.json
 * @param {string | undefined} installedText node_modules/.package-lock.json
 */
export function matchesLock(wantedText, installedText) {
  if (installedText === undefined) return false;
  /** @type {Record<string, LockedPackage>} */
  const wanted = JSON.parse(wantedText).packages;
  /** @type {Record<string, LockedPackage>} */
  const installed = JSON.parse(installedText).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** @returns {string[]} how to start npm: the one that started us, or npm beside this Node, or npm from the PATH */
export function npmCommand() {
  const own = process.env.npm_execpath;
  if (own?.endsWith('.js')) return [process.execPath, own];
  const bundled =
    process.platform === 'win32' ? '' : join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  if (bundled && readText(bundled) !== undefined) return [process.execPath, bundled];
  return ['npm'];
}

/**
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function npm(args, options = {}) {
  const [command = 'npm', ...first] = npmCommand();
  return run(command, [...first, ...args], { shell: command === 'npm' && process.platform === 'win32', ...options });
}

export async function installDependencies() {
  const lock = readText(at('package-lock.json'));
  if (lock === undefined) throw new Stop('package-lock.json is missing: this is not a complete copy of the project.');
  if (matchesLock(lock, readText(at('node_modules/.package-lock.json')))) return;
  await progress('Installing the dependencies (npm ci)', async () => {
    const install = () =>
      npm(['ci', '--loglevel=error', '--no-audit', '--no-fund'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let { code, output } = await install();
    // The npm of a set-up that was killed goes on without it, and two of them are in each other's way.
    if (code !== 0 && /\b(ENOTEMPTY|EEXIST|ENOENT|EBUSY)\b/.test(output)) {
      await sleep(5000);
      ({ code, output } = await install());
    }
    if (code !== 0)
      throw new Stop(`npm ci failed:\n${output.trim()}\nOnce that is repaired, run the same command again.`);
  });
}
