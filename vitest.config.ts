import { defineConfig } from 'vitest/config';

/**
 * Unit and conformance tests. They run in plain Node; whatever needs a window is in e2e/.
 * In CI a test gets a second attempt, as in playwright.config.ts; vitest prints `(retry x1)` behind it.
 */
export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'src/**/*.test.tsx',
      'native-bridge/**/*.test.ts',
      'scripts/**/*.test.mjs',
      'bench/**/*.test.mjs',
    ],
    pool: 'forks',
    // For what hangs. The longest take some seconds, and many times that on a machine with other things to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: process.env.CI ? 1 : 0,
  },
});
