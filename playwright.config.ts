import { defineConfig } from '@playwright/test';

/**
 * End-to-end tests in real Electron against the built app in out/. One worker: the tests share one GPU.
 * On a busy machine of CI a test gets a second attempt; `npm test` names those that needed it.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: 1,
  timeout: 60_000,
  reporter: [['list']],
  outputDir: 'test-results/e2e',
  forbidOnly: Boolean(process.env.CI),
  retries: process.env.CI ? 1 : 0,
});
