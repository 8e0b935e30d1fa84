import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { discoverSessions } from './discover.ts'
import { folderNameOf, folderNameOfPath } from './folder-name.ts'
import { type TestFolder, testFolder, testId } from './lines.testkit.ts'

let folder: TestFolder
let env: AgentEnv
beforeEach(() => {
  folder = testFolder()
  env = { home: folder.path, vars: {} }
})
afterEach(() => folder.remove())

function project(name: string): string {
  const path = join(folder.path, '.claude', 'projects', name)
  mkdirSync(path, { recursive: true })
  return path
}

describe('discoverSessions', () => {
  it('finds sessions in all project folders, the same id twice as two', () => {
    for (const name of ['-a', '-b']) writeFileSync(join(project(name), `${testId}.jsonl`), '{}\n')
    const found = [...discoverSessions(env)]
    expect(found.map(({ id, path, bytes }) => [id, path.split('/').at(-2), bytes])).toEqual([
      [testId, '-a', 3],
      [testId, '-b', 3],
    ])
    expect(found[0]?.inode).not.toBe(found[1]?.inode)
  })

  it('honours CLAUDE_CONFIG_DIR', () => {
    writeFileSync(join(project('-a'), `${testId}.jsonl`), '')
    expect([
      ...discoverSessions({ home: '/nonexistent', vars: { CLAUDE_CONFIG_DIR: join(folder.path, '.claude') } }),
    ]).toHaveLength(1)
  })

  it('passes over what is no session, and reports what only looks like one', () => {
    const path = project('-a')
    writeFileSync(join(path, '..', 'stray'), '')
    writeFileSync(join(path, 'notes.jsonl'), '')
    writeFileSync(join(path, `${testId}.jsonl.bak`), '')
    mkdirSync(join(path, testId))
    mkdirSync(join(path, `${testId}.jsonl`))
    symlinkSync(join(path, 'nowhere'), join(path, `2${testId.slice(1)}.jsonl`))
    const problems: string[] = []
    expect([...discoverSessions(env, (at, problem) => problems.push(`${at.slice(path.length)}: ${problem}`))]).toEqual([])
    expect(problems).toEqual([expect.stringMatching(/^\/1111.*: not a file/), expect.stringMatching(/^\/2111.*ENOENT/)])
  })

  it('reports a folder it may not read and lists the rest', () => {
    writeFileSync(join(project('-open'), `${testId}.jsonl`), '')
    const closed = project('-closed')
    chmodSync(closed, 0)
    const problems: string[] = []
    expect([...discoverSessions(env, (at) => problems.push(at))]).toHaveLength(1)
    // Root may read everything.
    expect(problems).toEqual(process.getuid?.() === 0 ? [] : [closed])
    chmodSync(closed, 0o700)
  })
})

describe('folderNameOf', () => {
  // Paths of every kind that 2.1.197 and 2.1.325 were run in.
  it.each([
    ['/home/dev/a.b_c d', '-home-dev-a-b-c-d'],
    ['/tmp/cw/w/nfd-e\u0301', '-tmp-cw-w-nfd-e-'],
    ['/x/😀', '-x---'],
    ['/CamelCase/@+~', '-CamelCase----'],
  ])('%s', (path, name) => expect(folderNameOfPath(path)).toBe(name))

  it('shortens long names with a hash of the unchanged path', () => {
    const path = `/tmp/cw/w/${'Ünïcode_dir.'.repeat(10)}/${'abc def'.repeat(12)}/😀_end`
    expect(folderNameOfPath(path)).toBe(
      '-tmp-cw-w--n-code-dir--n-code-dir--n-code-dir--n-code-dir--n-code-dir--n-code-dir--n-code-dir--n-code-dir--n-code-dir--n-code-dir--abc-defabc-defabc-defabc-defabc-defabc-defabc-defabc-defabc-defabc-de-meg3zt',
    )
  })

  it('is that of the real directory behind a symlink', () => {
    mkdirSync(join(folder.path, 'real'))
    symlinkSync(join(folder.path, 'real'), join(folder.path, 'link'))
    expect(folderNameOf(join(folder.path, 'link'))).toBe(folderNameOf(join(folder.path, 'real')))
  })
})
