/**
 * `npm start`: sets up what is missing, builds what has changed, opens the app. Arguments after `--` go to the app:
 * `npm start -- --demo` plays the demonstration in a visible window. Without a display, a virtual one is started, the
 * demonstration is played there and its ledger is printed.
 */
import { build } from './lib/build.mjs';
import { hasDisplay, virtualDisplay } from './lib/display.mjs';
import { electronExecutable, electronFlags } from './lib/electron.mjs';
import { root } from './lib/paths.mjs';
import { run } from './lib/process.mjs';
import { dim, main, say } from './lib/terminal.mjs';
import { setup } from './setup.mjs';

/** Lines that Chromium writes on machines without a desktop session, about things that the app does not use. */
const NOISE =
  /bus\.cc|dbus|gpu_memory_buffer|viz_main_impl|gl_display|vaapi|command_buffer_proxy|ANGLE|egl_util|gl_factory/i;

await main(async () => {
  await setup();
  await build();
  const electron = electronExecutable() ?? '';
  const flags = electronFlags();
  if (flags.includes('--no-sandbox')) say(dim("Running as root, so Chromium's process sandbox is off (--no-sandbox)."));
  const wanted = process.argv.slice(2);
  if (hasDisplay()) return open(process.env, wanted);
  say('There is no display: playing the demonstration on a virtual one.');
  const display = await virtualDisplay();
  try {
    return await open(display.env, ['--demo-headless', ...wanted]);
  } finally {
    await display.stop();
  }

  /** @param {NodeJS.ProcessEnv} env @param {readonly string[]} args @returns {Promise<number>} the app's exit code */
  async function open(env, args) {
    const headless = args.includes('--demo-headless');
    const { ELECTRON_RUN_AS_NODE: _, ...appEnv } = env;
    const { code } = await run(electron, [...flags, ...(headless ? ['--disable-gpu'] : []), root, ...args], {
      env: appEnv,
      filterStderr: (line) => !NOISE.test(line),
    });
    return code;
  }
});
