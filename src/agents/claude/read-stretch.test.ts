import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkAllStretches, checkGrowing, checkGrown, damaged, lineEnds, type StretchSubject } from '../stretch.testkit.ts'
import { claude } from './index.ts'
import { linesOf, sessionSteps } from './random-session.testkit.ts'

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

describe('sessions of any shape', () => {
  it('tell every stretch of their turns as reading the whole does', async () => {
    const tally = { short: 0, whole: 0 }
    const property = fc.asyncProperty(sessionSteps, fc.nat(), async (turns, cut) => {
      const content = Buffer.from(
        linesOf(turns)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      )
      writeFileSync(subject.path, content)
      const found = await checkAllStretches(subject)
      tally.short += found.short
      tally.whole += found.whole
      await checkGrown(subject, content, cut % content.length, { short: 0, whole: 0 })
    })
    await fc.assert(property, { numRuns: 40 })
    expect(tally.whole * 4).toBeLessThan(tally.short)
  })
})
