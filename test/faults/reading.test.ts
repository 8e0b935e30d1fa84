// A disk that fails for a moment: what could not be read then is read again by the next command, not remembered as absent.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFaultHome, type FaultHome, filesBelow } from './fault-home.ts'
import { armShim, shim } from './shim.ts'

let home: FaultHome
beforeAll(async () => {
  if (shim !== null) home = await createFaultHome()
})
afterAll(async () => await home?.remove())

const list = async (env: Readonly<Record<string, string>> = {}) => await home.run(['sessions', '--json'], { env })

describe.skipIf(shim === null)('sessions are listed as ever after an error of the disk', () => {
  test.each([
    ['in the repository', () => join(home.repository, '.git')],
    ['in the folder of Codex', () => join(home.vars.CODEX_HOME ?? '', 'sessions')],
    [
      'in the file that a Codex session builds on',
      () => filesBelow(join(home.vars.CODEX_HOME ?? '', 'sessions')).toSorted()[0] ?? '',
    ],
    ['in the transcripts of Claude Code', () => join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'projects')],
  ])('%s', async (_, place) => {
    await home.reset()
    const { stdout: expected } = await list(armShim(shim ?? '', { errno: 'EIO', at: 0 }, place(), home.aside))
    const calls = readFileSync(join(home.aside, 'shim-state')).readUInt32LE(0)
    let failures = 0
    for (let at = 1; at <= calls; at += Math.max(1, Math.floor(calls / 12))) {
      await home.reset()
      const { stdout, stderr, status } = await list(armShim(shim ?? '', { errno: 'EIO', at }, place(), home.aside))
      expect({ at, status, stderr }).toMatchObject({ status: expect.toSatisfy((code) => code === 0 || code === 1) })
      if (stdout !== expected) failures += 1
      expect({ at, stdout: (await list()).stdout }).toEqual({ at, stdout: expected })
    }
    expect(failures).toBeGreaterThan(0)
  })
})
