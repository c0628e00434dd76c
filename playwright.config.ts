import { defineConfig } from '@playwright/test';

/** End-to-end tests in real Electron against the built app in out/. One worker: the tests share one GPU. */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: 1,
  timeout: 60_000,
  reporter: [['list']],
  outputDir: 'test-results/e2e',
  forbidOnly: Boolean(process.env.CI),
});
