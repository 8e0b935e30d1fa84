import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { probeAbilities } from './abilities.ts'
import { type TestFolder, testFolder } from './lines.testkit.ts'
import { liveSessions } from './live.ts'

let folder: TestFolder
beforeEach(() => {
  folder = testFolder()
})
afterEach(() => folder.remove())

describe('liveSessions', () => {
  it('lists those whose process is alive', () => {
    const registry = join(folder.path, '.claude', 'sessions')
    mkdirSync(registry, { recursive: true })
    const enter = (name: string, entry: unknown) => writeFileSync(join(registry, name), JSON.stringify(entry))
    enter('1.json', { pid: process.pid, sessionId: 'busy', status: 'busy' })
    enter('2.json', { pid: process.pid, sessionId: 'idle', status: 'idle' })
    enter('3.json', { pid: process.pid, sessionId: 'no status' })
    enter('4.json', { pid: 2 ** 30, sessionId: 'dead' })
    enter('5.json', { pid: -1, sessionId: 'a group is no process' })
    enter('6.json', [])
    writeFileSync(join(registry, '7.json'), '{"pid":')
    writeFileSync(join(registry, 'notes.txt'), '')
    const found = liveSessions({ home: folder.path, vars: {} })
    expect(found.map(({ sessionId, busy }) => [sessionId, busy])).toEqual([
      ['busy', true],
      ['idle', false],
      ['no status', true],
    ])
  })
})

describe('probeAbilities', () => {
  function install(script: string): { home: string; vars: Record<string, string> } {
    const bin = join(folder.path, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'claude'), 0o755)
    return { home: folder.path, vars: { PATH: ['/nonexistent', bin, '/bin', '/usr/bin'].join(delimiter) } }
  }

  it.each([
    ['2.1.197 (Claude Code)', '2.1.197', true],
    ['2.1.325 (Claude Code)', '2.1.325', true],
    ['3.0.0 (Claude Code)', '3.0.0', true],
    ['2.1.90 (Claude Code)', '2.1.90', false],
    ['1.9.500 (Claude Code)', '1.9.500', false],
  ])('knows %s', async (answer, version, fork) => {
    expect(await probeAbilities(install(`echo '${answer}'`))).toMatchObject({ installed: true, version, fork, forkAtTurn: fork })
  })

  it('says what is wrong with one that does not answer', async () => {
    expect(await probeAbilities(install('echo broken >&2; exit 3'))).toMatchObject({
      installed: true,
      version: null,
      fork: false,
      problem: 'claude --version: broken',
    })
  })
})
