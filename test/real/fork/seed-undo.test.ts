// Undoing a seed in the real Claude Code leaves its home as it was: the folders Claude Code made for the session go too.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAppBench } from './app-bench.ts'

test.each([
  ['in a workspace', 'head'],
  ['in place', 'none'],
] as const)('undo of a seed %s removes the project folders it made', { timeout: 120_000 }, async (_, code) => {
  const bench = await createAppBench('2.1.325', '0.166.0')
  try {
    const { app, claude } = bench
    const below = join(claude.sandbox.work, 'packages', 'api')
    mkdirSync(below, { recursive: true })
    writeFileSync(join(below, 'main.txt'), 'text\n')
    claude.sandbox.git(claude.sandbox.work, 'add', '-A')
    claude.sandbox.git(claude.sandbox.work, 'commit', '-qm', 'packages')
    const { sessionId: source } = await claude.claude.print('Hello', { cwd: below })
    const projects = join(claude.sandbox.env.CLAUDE_CONFIG_DIR ?? join(claude.sandbox.home, '.claude'), 'projects')
    const before = readdirSync(projects).sort()
    const { fork } = await app.fork({ address: `claude:${source}`, strategy: 'seed', code })
    expect(fork.file !== null && existsSync(fork.file)).toBe(true)
    await app.undo(fork.id)
    expect(readdirSync(projects).sort()).toEqual(before)
  } finally {
    await bench.dispose()
  }
})
