import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const at = (path: string) => resolve(import.meta.dirname, path);

/**
 * Three builds: the main process with the two driver host entries (ESM), the sandboxed preload (CommonJS, because a
 * sandboxed preload cannot be a module), and one page for each window role. The targets are those of the oldest Electron
 * that the code runs on (33: Node 20, Chromium 130), not of the one that happens to be installed.
 */
export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      target: 'node20.18',
      externalizeDeps: true,
      rollupOptions: {
        input: {
          index: at('src/main/index.ts'),
          'host-worker': at('src/host/entries/worker.ts'),
          'host-utility': at('src/host/entries/utility.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      target: 'node20.18',
      externalizeDeps: false,
      rollupOptions: {
        input: { index: at('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react()],
    build: {
      outDir: at('out/renderer'),
      target: 'chrome130',
      assetsInlineLimit: 0,
      // Half the script is parsed sooner: the first thing that a window does.
      minify: true,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: {
          inspector: at('src/renderer/inspector.html'),
          producer: at('src/renderer/producer.html'),
          consumer: at('src/renderer/consumer.html'),
        },
      },
    },
  },
});
