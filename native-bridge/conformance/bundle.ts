/** Bundles peer.ts into one file that plain Node, or Electron as Node, runs. */
import { basename, dirname, resolve } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: a build step of the tests, not part of the bridge
import { build } from 'vite';
import { peerBundle } from './setting';

export async function bundlePeer(): Promise<void> {
  const file = peerBundle();
  await build({
    configFile: false,
    logLevel: 'warn',
    root: resolve(import.meta.dirname, '../..'),
    build: {
      ssr: resolve(import.meta.dirname, 'peer.ts'),
      outDir: dirname(file),
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { format: 'es', entryFileNames: basename(file) } },
    },
  });
}
