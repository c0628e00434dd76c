/**
 * Everything a fresh machine lacks: dependencies, the Electron runtime, system libraries, the simulator. Quick and
 * quiet when nothing is missing; an interrupted run goes on where it stopped. `npm start`, `npm test` and
 * `npm run bench` begin with it; `npm run setup` does only this.
 */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { at } from './lib/paths.mjs';
import { run } from './lib/process.mjs';
import { main, Stop, say } from './lib/terminal.mjs';
import { installDependencies } from './setup/dependencies.mjs';
import { installElectron } from './setup/electron.mjs';
import { installSystemPackages } from './setup/system.mjs';

/** Oldest Node that can load the build tools. */
const oldest = { major: 20, minor: 19 };

export async function setup() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
    throw new Stop(`Node ${oldest.major}.${oldest.minor} or newer is needed; this is ${process.versions.node}.`);
  }
  await installDependencies();
  await installElectron();
  await installSystemPackages();
  await buildSimulator();
}

/** The simulator is a Linux library; elsewhere only a real driver can answer. */
async function buildSimulator() {
  if (process.platform !== 'linux') return;
  const { code } = await run(process.execPath, [at('scripts/native-build.mjs')]);
  if (code !== 0) throw new Stop('The simulator could not be built; the lines above say why.');
  if (!existsSync(at('build/native/libcuda-sim.so')))
    throw new Stop('The simulator was built but is not at build/native/libcuda-sim.so.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    await setup();
    say('Everything is in place: npm start');
    return 0;
  });
}
