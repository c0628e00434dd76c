/** `npm run bench`: sets up, builds, measures. Arguments go to bench/main.mjs. */
import { build } from './lib/build.mjs';
import { at } from './lib/paths.mjs';
import { run } from './lib/process.mjs';
import { main } from './lib/terminal.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  const real = process.env.GPU_IPC_DRIVER === 'real';
  await setup(real ? {} : { simulatorFor: 'npm run bench measures on the simulator' });
  await build();
  return (await run(process.execPath, [at('bench/main.mjs'), ...process.argv.slice(2)])).code;
});
