import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/real/agents/**', 'test/real/qmd-agent/**', 'test/real/.work/**'],
    setupFiles: ['test/setup/own-home.ts'],
    // One more than there are cores, where vitest would leave one idle: most tests wait for other programs.
    maxWorkers: availableParallelism() + 1,
    // Real CLIs on a loaded two-core machine; no test asserts on time, so a generous limit only bounds what hangs.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
