import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLog } from '../lib/log.ts'
import { cleanLog } from './clean-log.ts'

const token = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d'].join('')

test('redacts events, fields and errors, and keeps the frames of an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-clean-log-'))
  try {
    const log = cleanLog(createLog({ folder, now: () => 0 }))
    log.write('error', `cannot read ${token}`, { error: new TypeError(`no /x/${token}`), path: `/x/${token}`, port: 1 })
    const text = readFileSync(log.file, 'utf8')
    expect(text).not.toContain(token)
    const line = JSON.parse(text)
    expect(line).toMatchObject({ msg: 'cannot read [redacted:github-token]', path: '/x/[redacted:github-token]', port: 1 })
    expect(line.error).toMatchObject({ name: 'TypeError', message: 'no /x/[redacted:github-token]' })
    expect(line.error.stack[0]).toMatch(/^at .*clean-log\.test/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
