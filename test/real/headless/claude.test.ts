// Headless conversations with the real Claude Code, against the stand-in model.
import { describe, it } from 'vitest'
import { claudeVersions } from '../lib/agents.ts'
import { describeSelection, selectCells } from '../lib/matrix.ts'
import { createHeadlessBench } from './claude-bench.ts'
import { headlessScenarios } from './claude-scenarios.ts'

const selection = selectCells(headlessScenarios, claudeVersions)
console.log(describeSelection('headless claude', selection))

describe.each(selection.run)('headless claude $version', ({ scenario, version }) => {
  it(scenario.name, { timeout: 120_000 }, async () => {
    const bench = await createHeadlessBench(version, version === '2.1.325')
    try {
      await scenario.run(bench)
    } finally {
      await bench.dispose()
    }
  })
})
