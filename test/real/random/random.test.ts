// Random scripts with fixed seeds: the same ones in every run, so that what once agreed stays so. `npm run test:random` tries others.
import { describe, expect, it } from 'vitest'
import { wholeMatrix } from '../lib/matrix.ts'
import { agentNames, drive } from './drive.ts'
import { found } from './found.ts'
import { formatScript, parseScript, scriptOf } from './script.ts'

const newestAgents = ['claude-2.1.325', 'codex-0.166.0'] as const
const seeds = wholeMatrix ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1]
if (!wholeMatrix) {
  const names = newestAgents.join(' and ')
  console.log(`random scripts: 1 of 10 fixed seeds on ${names}; the others, and the other CLIs, are run by npm run test:matrix`)
}

describe.each(wholeMatrix ? agentNames : newestAgents)('a random script on %s', (name) => {
  it.each(seeds)('seed %i is read as the agent goes on from it', { timeout: 300_000 }, async (seed) => {
    const { ran, fault } = await drive(name, scriptOf(seed))
    expect(fault, `npm run test:random -- --agent ${name} --script "${formatScript(ran)}"`).toBeNull()
    expect(ran.length).toBeGreaterThan(0)
  })
})

describe.runIf(wholeMatrix)('a script that once disagreed', () => {
  it.each(found)('$agent: $fact', { timeout: 300_000 }, async ({ agent, script }) => {
    const { fault } = await drive(agent, parseScript(script))
    expect(fault).toBeNull()
  })
})

it('a script is written and read as one line', () => {
  const script = scriptOf(1)
  expect(parseScript(formatScript(script))).toEqual(script)
  expect(scriptOf(1)).toEqual(script)
  expect(scriptOf(2)).not.toEqual(script)
  expect(() => parseScript('plain nonsense')).toThrow('there is no action nonsense')
})
