// Changes refs of ours in one transaction, each by the value it was seen with: all of it happens or nothing.
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { durable } from './folded.ts'
import type { Git } from './git.ts'

export interface RefChange {
  readonly ref: string
  /** `null`: there is none. */
  readonly from: string | null
  /** `null`: it goes. */
  readonly to: string | null
}

/** No git holds the lock of a ref for more than moments: who left it there was killed. */
const staleMs = 10 * 60_000

/**
 * Why it did not happen, in git's words; `null` when it did. git writes what is new before it deletes.
 * What was locked by a git that was killed can be changed the next time.
 */
export async function changeRefs(
  git: Git,
  commonDir: string,
  changes: readonly RefChange[],
  now: number,
): Promise<string | null> {
  const input = changes.map(renderChange).join('')
  const call = { cwd: commonDir, input, accept: [0, 1, 128], config: durable }
  const { exitCode, stderr } = await git(['update-ref', '-z', '--stdin'], call)
  if (exitCode === 0) return null
  for (const { ref } of changes) await removeStaleLock(join(commonDir, `${ref}.lock`), now)
  return stderr.trim().split('\n')[0] ?? ''
}

function renderChange({ ref, from, to }: RefChange): string {
  if (to === null) return `delete ${ref}\0${from ?? ''}\0`
  return from === null ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`
}

async function removeStaleLock(path: string, now: number): Promise<void> {
  try {
    if (now - (await stat(path)).mtimeMs > staleMs) await rm(path, { force: true })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
