import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkAllStretches, checkGrowing, checkGrown, damaged, lineEnds, type StretchSubject } from '../stretch.testkit.ts'
import { claude } from './index.ts'
import { linesOf, type SessionStep, sessionSteps } from './random-session.testkit.ts'

const samples = join(import.meta.dirname, 'samples')
const names = readdirSync(samples).filter((name) => name.endsWith('.jsonl'))

let home: string
let subject: StretchSubject
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-stretch-'))
  const path = join(home, 'projects', '-home-dev-work', '00000000-0000-4000-8000-000000000001.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  subject = { agent: claude, env: { home, vars: { CLAUDE_CONFIG_DIR: home } }, path }
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe.each(names)('%s', (name) => {
  const content = readFileSync(join(samples, name))

  it('tells every stretch of its turns as reading the whole does', async () => {
    writeFileSync(subject.path, content)
    expect(await checkAllStretches(subject)).toMatchObject({ whole: 0 })
  })

  it('tells turns that were known before it grew', async () => {
    const tally = { short: 0, whole: 0 }
    for (const [at, cut] of lineEnds(content).entries()) if (at % 5 === 2) await checkGrown(subject, content, cut, tally)
    expect(tally.short).toBeGreaterThan(0)
  })

  it('damaged, tells what reading the whole tells', async () => {
    const property = fc.asyncProperty(damaged(content), async (bytes) => {
      writeFileSync(subject.path, bytes)
      await checkAllStretches(subject, [{ firstBytes: 3000, marginBytes: 20_000 }])
    })
    await fc.assert(property, { numRuns: 5 })
  })
})

it('cut anywhere, and while it grows, tells what reading the whole tells', async () => {
  const content = readFileSync(join(samples, 'print-5turns-tools-parallel-subagent-2.1.197.jsonl'))
  const property = fc.asyncProperty(fc.integer({ min: 1, max: content.length }), async (cut) => {
    writeFileSync(subject.path, content.subarray(0, cut))
    await checkAllStretches(subject, [{ firstBytes: 3000, marginBytes: 0 }])
    await checkGrown(subject, content, cut, { short: 0, whole: 0 })
  })
  await fc.assert(property, { numRuns: 20 })
  await checkGrowing(subject, content)
})

/** A second compaction gives a prompt that hangs before the first one another number than it had while the file was shorter. */
const compactedSince: [SessionStep[][], number] = [
  [
    [],
    [step('compact', 591), step('answer')],
    [step('failed'), step('compact', 88)],
    [step('answer'), step('rewind')],
    [step('compact', 1), step('compact', 411)],
    [step('tools')],
  ],
  8400,
]

/** What waits in the queue depends on a line in front of the part: whether the first prompt in it came from the queue. */
const dequeuedBefore: [SessionStep[][], number] = [
  [[step('tools', 232), step('tools', 180)], [{ ...step('tools', 433), size: 3 }]].map((steps) =>
    steps.map((each) => ({ ...each, long: false })),
  ),
  87_111_770,
]

/** A compaction before the part kept messages: then a leaf that is named before the last one does not count. */
const keptBefore: [SessionStep[][], number] = [
  [
    [step('answer'), step('compact', 18), step('answer')],
    [step('compact', 157), step('queue', 2)],
    [step('answer'), step('checkpoint')],
    [],
    [step('progress'), step('aside')],
    [step('queue', 85), step('progress')],
  ].map((steps) => steps.map((each) => ({ ...each, long: false }))),
  948_726_895,
]

function step(kind: SessionStep['kind'], pick = 0): SessionStep {
  return { kind, size: 1, pick, long: true }
}

describe('sessions of any shape', () => {
  const bytesOf = (turns: SessionStep[][]) =>
    Buffer.from(
      linesOf(turns)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    )

  it('tell every stretch of their turns as reading the whole does', async () => {
    const property = fc.asyncProperty(sessionSteps, fc.nat(), async (turns, cut) => {
      const content = bytesOf(turns)
      writeFileSync(subject.path, content)
      await checkAllStretches(subject)
      await checkGrown(subject, content, cut % content.length, { short: 0, whole: 0 })
    })
    await fc.assert(property, { numRuns: 150, examples: [compactedSince, dequeuedBefore, keptBefore] })
  })

  // The seed is fixed: a share that is counted over random sessions is above any limit once in a while.
  it('rarely need to be read as a whole', async () => {
    const tally = { short: 0, whole: 0 }
    const property = fc.asyncProperty(sessionSteps, async (turns) => {
      writeFileSync(subject.path, bytesOf(turns))
      const found = await checkAllStretches(subject, [{ firstBytes: 3000, marginBytes: 20_000 }])
      tally.short += found.short
      tally.whole += found.whole
    })
    await fc.assert(property, { seed: 1, numRuns: 500 })
    expect(tally.whole * 4).toBeLessThan(tally.short)
  })
})
