/** Bundles an entry of this folder into one file that plain Node, or Electron as Node, runs. */
import { basename, dirname, resolve } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: a build step of the tests, not part of the bridge
import { build } from 'vite';
import { bundled, type Entry } from './setting';

export async function bundle(entry: Entry): Promise<void> {
  const file = bundled(entry);
  await build({
    configFile: false,
    logLevel: 'warn',
    root: resolve(import.meta.dirname, '../..'),
    build: {
      ssr: resolve(import.meta.dirname, `${entry}.ts`),
      outDir: dirname(file),
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { format: 'es', entryFileNames: basename(file) } },
    },
  });
}
