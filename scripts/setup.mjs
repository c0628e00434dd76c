/**
 * Everything a fresh machine lacks: dependencies, the Electron runtime, system libraries, the simulator. Quick and
 * quiet when nothing is missing; an interrupted run goes on where it stopped. `npm start`, `npm test` and
 * `npm run bench` begin with it; `npm run setup` does only this.
 */
import { pathToFileURL } from 'node:url';
import { main, Stop, say } from './lib/terminal.mjs';
import { installDependencies } from './setup/dependencies.mjs';
import { installElectron } from './setup/electron.mjs';
import { buildSimulator, planSimulator, withoutSimulator } from './setup/simulator.mjs';
import { installSystemPackages } from './setup/system.mjs';

/** Oldest Node that can load the build tools. */
const oldest = { major: 20, minor: 19 };

/**
 * @param {{ simulatorFor?: string }} [options] `simulatorFor`: who cannot do without the simulator, as the beginning of
 *   a sentence (`npm test runs on the simulator`). Without it a machine whose real driver answers needs no C compiler.
 */
export async function setup({ simulatorFor = driverOfWish() } = {}) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
    throw new Stop(`Node ${oldest.major}.${oldest.minor} or newer is needed; this is ${process.versions.node}.`);
  }
  await installDependencies();
  await installElectron();
  const plan = await planSimulator(simulatorFor);
  await installSystemPackages({ compiler: plan === 'get a compiler', compilerFor: simulatorFor });
  if (plan !== 'go on without') await buildSimulator(simulatorFor);
  else if (process.platform === 'linux') say(withoutSimulator('it is built with a C compiler, and there is none.'));
}

/** Whoever asks for the simulator does not want to be answered by a real driver. */
function driverOfWish() {
  return process.env.GPU_IPC_DRIVER === 'simulator' ? 'GPU_IPC_DRIVER=simulator asks for the simulator' : undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    await setup();
    say('Everything is in place: npm start');
    return 0;
  });
}
