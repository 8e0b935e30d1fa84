// In which folder the real Codex says that each prompt was given: what decides which turns a server may show.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { codexVersions } from '../lib/agents.ts'
import { execResume } from './exec.ts'
import { makeCodexSession } from './session.ts'

test.each(codexVersions)('Codex %s names the folder of each prompt', { timeout: 180_000 }, async (version) => {
  const { home, threadId } = await makeCodexSession({
    version,
    prompts: ['Go down [[shell: mkdir -p sub; cd sub; pwd]]', 'Home again'],
  })
  try {
    const elsewhere = home.sandbox.folder('elsewhere')
    mkdirSync(join(elsewhere, 'deep'))
    await execResume(home, threadId, 'Far away [[shell: pwd]]', { cwd: elsewhere })
    await execResume(home, threadId, 'Back', {})
    const [file] = [...codex.discover(home.sandbox.agentEnv)].filter(({ id }) => id === threadId)
    if (file === undefined) throw new Error('no session')
    const { turns } = await codex.summarise(file, home.sandbox.agentEnv)
    expect(turns.map(({ prompt, cwd }) => [prompt.split(' [[')[0], cwd])).toEqual([
      ['Go down', home.work],
      ['Home again', home.work],
      ['Far away', elsewhere],
      ['Back', home.work],
    ])
  } finally {
    await home.dispose()
  }
})
