import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRefusalLog } from './refusals.ts'

test('a token in the path that was asked for is redacted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-refusals-'))
  try {
    const token = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d'].join('')
    const onRefusal = createRefusalLog({ folder, now: () => 0 })
    onRefusal({ at: 0, verb: 'sessions http', subject: `/x/${token}`, reason: `outside the roots: /x/${token}` })
    const text = readFileSync(join(folder, 'refusals.log'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ subject: '/x/[redacted:github-token]' })
    expect(text).not.toContain(token)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('one JSON line each, private, whatever stands in a name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-refusals-'))
  try {
    const onRefusal = createRefusalLog({ folder, now: () => 0 })
    onRefusal({ at: 0, verb: 'fork http', subject: 'claude:x\n{"forged":true}\u001b[2J', reason: 'outside the roots' })
    onRefusal({ at: 0, verb: 'scope mcp', subject: `/${'a'.repeat(100_000)}`, reason: 'outside the roots' })
    const file = join(folder, 'refusals.log')
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).verb)).toEqual(['fork http', 'scope mcp'])
    expect(lines[0]).not.toContain('\u001b')
    expect(statSync(file).size).toBeLessThan(2000)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
