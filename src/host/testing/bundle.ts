/** Bundles an entry of the host into one file that plain Node runs: tests need processes and threads of their own. */
import { rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: a build step of the tests, not part of the host
import { build } from 'vite';
import { root } from './driver';

export interface Bundle {
  readonly file: string;
  remove(): void;
}

/** @param entry path below src/host */
export async function bundle(entry: string): Promise<Bundle> {
  const name = basename(entry, '.ts');
  // Test files run side by side, each in its own process.
  const file = resolve(root, `build/host-test/${name}-${process.pid}.mjs`);
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    build: {
      ssr: resolve(root, 'src/host', entry),
      outDir: dirname(file),
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { format: 'es', entryFileNames: basename(file) } },
    },
  });
  return { file, remove: () => rmSync(file, { force: true }) };
}
