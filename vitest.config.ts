import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/real/agents/**', 'test/real/.work/**'],
    setupFiles: ['test/setup/own-home.ts'],
    // Real CLIs on a loaded two-core machine; no test asserts on time, so a generous limit only bounds what hangs.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
