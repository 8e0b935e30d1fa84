import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hookLogPath, readHookLog, writeHookLog } from './hook-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-hook-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the log of the hook', () => {
  it('is private and holds one short line per event', () => {
    writeHookLog(folder, 0, { agent: 'claude', event: 'prompt', captured: 1 })
    writeHookLog(folder, 1, { agent: 'codex', problem: 'x'.repeat(5000) })
    appendFileSync(hookLogPath(folder), '{"at":"torn')
    expect(readHookLog(folder)).toMatchObject([{ at: '1970-01-01T00:00:00.000Z', captured: 1 }, { agent: 'codex' }])
    expect(readHookLog(folder)[1]?.problem).toHaveLength(400)
    expect(statSync(hookLogPath(folder)).mode & 0o777).toBe(0o600)
  })

  it('does not grow for ever', () => {
    writeHookLog(folder, 0, { agent: 'claude' })
    writeFileSync(hookLogPath(folder), `${'x'.repeat(1 << 20)}\n`)
    writeHookLog(folder, 0, { agent: 'claude' })
    writeHookLog(folder, 0, { agent: 'claude' })
    expect(existsSync(`${hookLogPath(folder)}.1`)).toBe(true)
    expect(readFileSync(hookLogPath(folder), 'utf8').split('\n')).toHaveLength(3)
  })

  it('is empty where there is none', () => {
    expect(readHookLog(folder)).toEqual([])
  })
})
