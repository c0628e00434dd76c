import { defineConfig } from '@playwright/test';

/** Pictures for the documentation, made by scripts/screenshots.mjs; not tests. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.pictures.ts',
  workers: 1,
  timeout: 120_000,
  reporter: [['list']],
  outputDir: '../../test-results/pictures',
});
