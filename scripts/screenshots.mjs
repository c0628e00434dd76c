/**
 * Pictures of the running app for the documentation: node scripts/screenshots.mjs [FOLDER [FILE…]], docs/images
 * unless given, from the files of e2e/pictures whose names begin so.
 * Uses the driver that GPU_IPC_DRIVER names, the simulator unless set. The app has to be built.
 */
import { resolve } from 'node:path';
import { virtualDisplay } from './lib/display.mjs';
import { at } from './lib/paths.mjs';
import { run } from './lib/process.mjs';
import { main, say } from './lib/terminal.mjs';

await main(async () => {
  const folder = resolve(process.argv[2] ?? at('docs/images'));
  const display = process.platform === 'linux' && !process.env.DISPLAY ? await virtualDisplay() : undefined;
  try {
    const cli = at('node_modules/@playwright/test/cli.js');
    // A simulated machine of their own: no memory of other programs is counted.
    const env = { GPU_IPC_SIM_MACHINE: 'pictures', ...(display?.env ?? process.env), PICTURES: folder };
    const { code } = await run(
      process.execPath,
      [cli, 'test', '--config', at('e2e/pictures'), ...process.argv.slice(3)],
      { env },
    );
    if (code === 0) say(`Pictures: ${folder}`);
    return code;
  } finally {
    await display?.stop();
  }
});
