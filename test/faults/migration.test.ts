// A home of an older offshoot, and the update killed at each of its writes: the next command has the session, its turns and its captures.
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createOldHome, type OldHome, oldSessionId } from '../cli/old-home.ts'
import { wholeMatrix } from '../real/lib/matrix.ts'
import { removeFolder } from '../setup/remove-folder.ts'
import { armShim, type Fault, shim } from './shim.ts'

const aside = mkdtempSync(join(tmpdir(), 'offshoot-migration-'))
afterAll(() => removeFolder(aside))

/** How many of the writes `npm test` is killed at. */
const tried = wholeMatrix ? Number.POSITIVE_INFINITY : 12

const factTables = ['captures', 'forks', 'workspaces', 'repositories', 'restores', 'labels', 'archive_files']

async function update(home: OldHome, fault: Fault): Promise<{ calls: number; status: number | null; stderr: string }> {
  const { status, stderr } = await home.run(['sessions'], armShim(shim ?? '', fault, home.root, aside))
  return { calls: readFileSync(join(aside, 'shim-state')).readUInt32LE(0), status, stderr }
}

const factsOf = (home: OldHome) =>
  home.query((db) => factTables.map((table) => [table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]))

describe.skipIf(shim === null)('an update of the database', () => {
  test.each([
    ['killed', 'KILL'],
    ['on a full disk', 'ENOSPC'],
    ['on a failing disk', 'EIO'],
  ] as const)('%s at any of its calls loses nothing', async (_, errno) => {
    const first = createOldHome()
    const { calls } = await update(first, { errno, at: 0 })
    const facts = factsOf(first)
    first.remove()
    expect(calls).toBeGreaterThan(20)
    const step = Math.max(1, Math.ceil(calls / tried))
    for (let at = 1; at <= calls; at += step) {
      const home = createOldHome()
      const { status, stderr } = await update(home, { errno, at })
      if (status !== null) expect({ at, status, stderr }).toMatchObject({ status: expect.toSatisfy((code) => code < 2) })
      const { stdout, status: after } = await home.run(['turns', oldSessionId, '--json'])
      expect({ at, after }).toEqual({ at, after: 0 })
      expect({ at, turns: JSON.parse(stdout).turns.length }).toEqual({ at, turns: 3 })
      expect({ at, facts: factsOf(home) }).toEqual({ at, facts })
      home.remove()
    }
  })
})
