import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Entry } from '../reading.ts'
import { gist, messagesIn, testFolder, testId } from './lines.testkit.ts'
import { readSubagent, subagents, toolResultFiles } from './subagents.ts'

const folder = testFolder()
afterAll(() => folder.remove())

describe('subagents', () => {
  it('are none where there is no folder', () => {
    expect(subagents(folder.write(''))).toEqual([])
    expect(toolResultFiles(folder.write(''))).toEqual([])
  })

  it('are listed with what started them, and read', async () => {
    const side = join(folder.path, testId)
    cpSync(join(import.meta.dirname, 'samples', 'print-5turns-2.1.325-sidedir'), side, { recursive: true })
    const meta = { agentType: 'general-purpose', description: 'mock sub', toolUseId: 'toolu_1', spawnDepth: 1 }
    writeFileSync(join(side, 'subagents', 'agent-a8a1adbaf32a290d5.meta.json'), JSON.stringify(meta))
    mkdirSync(join(side, 'tool-results'))
    writeFileSync(join(side, 'tool-results', 'big.txt'), 'long output')
    const [agent, ...others] = subagents(folder.write(''))
    expect(others).toEqual([])
    expect(agent).toMatchObject({
      id: 'a8a1adbaf32a290d5',
      kind: 'general-purpose',
      description: 'mock sub',
      toolUseId: 'toolu_1',
    })
    expect(toolResultFiles(folder.write(''))).toEqual([join(side, 'tool-results', 'big.txt')])
    const entries: Entry[] = []
    if (agent) for await (const entry of readSubagent(agent)) entries.push(entry)
    const said = messagesIn(entries).filter(({ role }) => role !== 'system')
    expect(gist(said)).toEqual(['user: sub prompt says hi', 'assistant: MOCK turn=1 msgs=2 said=sub prompt says hi'])
  })
})
