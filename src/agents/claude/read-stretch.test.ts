import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkAllStretches, checkGrown, lineEnds, type StretchSubject } from '../stretch.testkit.ts'
import { claude } from './index.ts'

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
    const tally = await checkAllStretches(subject)
    console.log(name, JSON.stringify(tally))
    expect(tally.short).toBeGreaterThan(0)
  })

  it('tells turns that were known before it grew', async () => {
    const tally = { short: 0, whole: 0 }
    for (const [at, cut] of lineEnds(content).entries()) if (at % 5 === 2) await checkGrown(subject, content, cut, 4000, tally)
    console.log(name, 'grown', JSON.stringify(tally))
    expect(tally.short).toBeGreaterThan(0)
  })
})
