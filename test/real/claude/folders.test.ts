// In which folder the real Claude Code says that each prompt was given: what decides which turns a server may show.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { claudeVersions } from '../lib/agents.ts'
import { createBench } from './bench.ts'

test.each(claudeVersions)('Claude Code %s names the folder of each prompt', { timeout: 180_000 }, async (version) => {
  const bench = await createBench(version)
  try {
    const { work, root } = bench.sandbox
    mkdirSync(join(work, 'sub'))
    const sessionId = await bench.talk(['go down [[bash:cd sub && pwd]]', 'at home again'])
    const worktree = join(root, 'worktree')
    bench.sandbox.git(work, 'worktree', 'add', '--quiet', '-b', 'side', worktree)
    await bench.claude.print('in the worktree [[bash:pwd]]', { cwd: worktree, flags: ['--resume', sessionId] })
    const [file] = [...claude.discover(bench.sandbox.agentEnv)].filter(({ id }) => id === sessionId)
    if (file === undefined) throw new Error('no session')
    const { turns } = await claude.summarise(file, bench.sandbox.agentEnv)
    expect(turns.map(({ prompt, cwd }) => [prompt.split(' [[')[0], cwd])).toEqual([
      ['go down', work],
      ['at home again', work],
      ['in the worktree', worktree],
    ])
    // The `cd` within a turn is recorded on the lines behind it, not on the prompt's.
    const folders = new Set(bench.lines(sessionId).flatMap(({ cwd }) => (typeof cwd === 'string' ? [cwd] : [])))
    expect([...folders].sort()).toEqual([work, join(work, 'sub'), worktree].sort())
  } finally {
    await bench.sandbox.dispose()
  }
})
