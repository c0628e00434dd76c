/** The app's build, out/: made again when something that it is made from has changed. */
import { existsSync } from 'node:fs';
import { at } from './paths.mjs';
import { run } from './process.mjs';
import { fingerprint, readText, writeWhole } from './stamp.mjs';
import { progress, Stop } from './terminal.mjs';

const sources = ['src', 'native-bridge', 'electron.vite.config.ts', 'package.json', 'package-lock.json'];
const stamp = at('out/.built-from');

export async function build() {
  const now = fingerprint(sources, (file) => !/\.test\.tsx?$|\.(c|h|cu|md)$/.test(file));
  if (readText(stamp) === now && existsSync(at('out/main/index.js'))) return;
  await progress('Building the app', async () => {
    const electronVite = at('node_modules/electron-vite/bin/electron-vite.js');
    const { code, output } = await run(process.execPath, [electronVite, 'build', '--logLevel', 'warn'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (code !== 0) throw new Stop(`The build failed:\n${output.trim()}`);
    writeWhole(stamp, now);
  });
}
