import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkAllStretches, checkGrown, lineEnds, type StretchSubject } from '../stretch.testkit.ts'
import { codexEnv, placeRollout, placeSample, readSample, rolloutPath } from './home.testkit.ts'
import { codex } from './index.ts'

const parent = '02-exec-4turns-shell-patch.jsonl'
const needs: Record<string, readonly string[]> = {
  '03-exec-fork-child.jsonl': [parent],
  '04-fork-at-turn-into-worktree.jsonl': [parent],
}

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-stretch-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function place(name: string): StretchSubject & { readonly content: Buffer } {
  const content = readSample(name)
  for (const needed of needs[name] ?? []) placeSample(home, needed)
  return { agent: codex, env: codexEnv(home), path: placeRollout(rolloutPath(home, content), content), content }
}

describe.each([
  parent,
  '03-exec-fork-child.jsonl',
  '04-fork-at-turn-into-worktree.jsonl',
  '05-fork-while-turn-running.jsonl',
  '09-tui-interrupt-compact.jsonl',
  '10-minimal-handmade-legacy.jsonl',
  '11-legacy-mode-3turns.jsonl',
  '12-legacy-fork-at-turn1.jsonl',
  '13-hook-context-and-stop-block.jsonl',
  '16-failed-turn.jsonl',
  'old-0.142.0-exec-one-turn.jsonl',
  'old-0.150.0-exec-one-turn.jsonl',
  'old-0.158.0-exec-one-turn.jsonl',
])('%s', (name) => {
  it('tells every stretch of its turns as reading the whole does', async () => {
    const tally = await checkAllStretches(place(name))
    console.log(name, JSON.stringify(tally))
  })

  it('tells turns that were known before it grew', async () => {
    const subject = place(name)
    const tally = { short: 0, whole: 0 }
    for (const cut of lineEnds(subject.content)) await checkGrown(subject, subject.content, cut, 4000, tally)
    console.log(name, 'grown', JSON.stringify(tally))
  })
})
