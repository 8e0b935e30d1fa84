import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkAllStretches, checkGrowing, checkGrown, damaged, lineEnds, type StretchSubject } from '../stretch.testkit.ts'
import { codexEnv, placeRollout, placeSample, Rollout, readSample, rolloutPath } from './home.testkit.ts'
import { codex } from './index.ts'

const parent = '02-exec-4turns-shell-patch.jsonl'
/** Its turns begin with their prompts: only the whole tells their names. */
const withoutStarts = '10-minimal-handmade-legacy.jsonl'
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
  withoutStarts,
  '11-legacy-mode-3turns.jsonl',
  '12-legacy-fork-at-turn1.jsonl',
  '13-hook-context-and-stop-block.jsonl',
  '16-failed-turn.jsonl',
  'old-0.142.0-exec-one-turn.jsonl',
  'old-0.150.0-exec-one-turn.jsonl',
  'old-0.158.0-exec-one-turn.jsonl',
])('%s', (name) => {
  it('tells every stretch of its turns as reading the whole does', async () => {
    const { short, whole } = await checkAllStretches(place(name))
    expect(name === withoutStarts ? short : whole).toBe(name === withoutStarts ? 3 : 0)
  })

  it('tells turns that were known before it grew', async () => {
    const subject = place(name)
    const tally = { short: 0, whole: 0 }
    for (const cut of lineEnds(subject.content)) await checkGrown(subject, subject.content, cut, tally)
    expect(tally.short).toBeGreaterThan(0)
  })

  it('damaged, tells what reading the whole tells', async () => {
    const { content, ...subject } = place(name)
    const property = fc.asyncProperty(damaged(content), async (bytes) => {
      writeFileSync(subject.path, bytes)
      await checkAllStretches(subject, [{ firstBytes: 3000, marginBytes: 20_000 }])
    })
    await fc.assert(property, { numRuns: 5 })
  })
})

it('cut anywhere, and while it grows, tells what reading the whole tells', async () => {
  const { content, ...subject } = place(parent)
  const property = fc.asyncProperty(fc.integer({ min: 1, max: content.length }), async (cut) => {
    writeFileSync(subject.path, content.subarray(0, cut))
    await checkAllStretches(subject, [{ firstBytes: 3000, marginBytes: 0 }])
    await checkGrown(subject, content, cut, { short: 0, whole: 0 })
  })
  await fc.assert(property, { numRuns: 20 })
  await checkGrowing(subject, content)
})

it('a reverted thread tells the turns of the file before', async () => {
  for (const needed of [parent, '07b-tui-fork-original-segment.jsonl']) placeSample(home, needed)
  const content = readSample('07-tui-escesc-revert-segment.jsonl')
  const path = placeRollout(rolloutPath(home, content, '01a1ddfa-9ebd-7000-8000-000000000001'), content)
  expect(await checkAllStretches({ agent: codex, env: codexEnv(home), path })).toMatchObject({ whole: 0 })
})

it('turns behind a rollback are told by reading the whole alone', async () => {
  const rollout = new Rollout({}, { legacy: true }).turn('turn-1').turn('turn-2').event('thread_rolled_back', { num_turns: 1 })
  const { path } = rollout.turn('turn-3').turn('turn-4').place(codexEnv(home))
  const tally = await checkAllStretches({ agent: codex, env: codexEnv(home), path })
  expect(tally.short).toBeGreaterThan(0)
  expect(tally.whole).toBeGreaterThan(0)
})

it('a packed file is left to reading the whole', async () => {
  const packed = readSample('02-exec-4turns-shell-patch.jsonl.zst')
  const path = placeRollout(`${rolloutPath(home, readSample(parent))}.zst`, packed)
  expect(await checkAllStretches({ agent: codex, env: codexEnv(home), path })).toMatchObject({ short: 0 })
})

it('leaves no file open', async () => {
  const subject = place(parent)
  const before = readdirSync('/dev/fd').length
  await checkAllStretches(subject)
  expect(readdirSync('/dev/fd')).toHaveLength(before)
})
