import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findCallSite } from '../call-site.ts'

let home: string
let folder: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-call-'))
  folder = join(home, '.claude', 'projects', '-work')
  mkdirSync(folder, { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const id = 'toolu_01AbCdEf'
const lineOf = (sessionId: string, toolId = id) =>
  `${JSON.stringify({ type: 'assistant', sessionId, cwd: '/work', message: { content: [{ type: 'tool_use', id: toolId }] } })}\n`
const find = (waitMs = 0, toolUseId: unknown = id) =>
  findCallSite({ meta: { 'claudecode/toolUseId': toolUseId }, env: { home, vars: {}, now: Date.now }, waitMs })

it('finds the session whose transcript holds the call', async () => {
  writeFileSync(join(folder, 'a.jsonl'), lineOf('a', 'toolu_other_one'))
  writeFileSync(join(folder, 'b.jsonl'), `${'x'.repeat(3 << 20)}\n${lineOf('b')}{"type":"progress","toolUseID":"${id}"}\n`)
  expect(await find()).toEqual({ agent: 'claude', sessionId: 'b', turnId: null, cwd: '/work' })
})

it('waits for a line that is still being written', async () => {
  const path = join(folder, 'a.jsonl')
  const line = lineOf('a')
  writeFileSync(path, line.slice(0, 40))
  setTimeout(() => appendFileSync(path, line.slice(40)), 150)
  expect(await find(5000)).toMatchObject({ sessionId: 'a' })
})

it('finds nothing in old files, in what only mentions the call, and by ids that are none', async () => {
  const old = join(folder, 'old.jsonl')
  writeFileSync(old, lineOf('old'))
  utimesSync(old, 1, 1)
  writeFileSync(
    join(folder, 'says.jsonl'),
    `${JSON.stringify({ type: 'user', sessionId: 's', message: { content: id } })}\n{broken ${id}\n`,
  )
  writeFileSync(join(home, '.claude', 'projects', 'stray'), 'no folder')
  expect(await find()).toBeNull()
  expect(await find(0, '../../etc')).toBeNull()
  expect(await find(0, 42)).toBeNull()
  rmSync(join(home, '.claude'), { recursive: true })
  expect(await find()).toBeNull()
})
