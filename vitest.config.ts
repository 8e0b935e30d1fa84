import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those with real agents take longest: begun last, one of them would run alone at the end. */
class RealAgentsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isReal = ({ moduleId }: TestSpecification) => moduleId.includes('/test/real/')
    return [...sorted.filter(isReal), ...sorted.filter((file) => !isReal(file))]
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/real/agents/**', 'test/real/qmd-agent/**', 'test/real/.work/**'],
    sequence: { sequencer: RealAgentsFirst },
    setupFiles: ['test/setup/own-home.ts'],
    // One worker per core, where vitest would leave one idle. More than that only makes them wait for each other.
    maxWorkers: '100%',
    // Real CLIs on a loaded two-core machine; no test asserts on time, so a generous limit only bounds what hangs.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The same for what is waited for: the default of one second is less than a busy machine needs to start one process.
    expect: { poll: { timeout: 30_000 } },
  },
})
