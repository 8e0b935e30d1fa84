// Changes refs of ours in one transaction, each by the value it was seen with: all of it happens or nothing.
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { durable } from './folded.ts'
import type { Git } from './git.ts'

export interface RefChange {
  readonly ref: string
  /** `null`: there is none. */
  readonly from: string | null
  /** `null`: it goes. */
  readonly to: string | null
}

/** No git holds a lock of these for more than moments: who left it there was killed. */
const staleMs = 10 * 60_000
/** What guards all refs at once, the person's too, in either form a repository keeps them. */
const sharedLocks = ['packed-refs.lock', 'reftable/tables.list.lock']
/** How long after our beginning such a lock can have been taken by us. */
const takenWithinMs = 120_000

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
  // Stays behind when we are killed: by it the shared lock is told from one the person's own git left.
  const begun = join(commonDir, 'offshoot-refs')
  const isFirst = await writeFile(begun, '', { flag: 'wx' }).then(
    () => true,
    (error) => {
      if (fileErrorCode(error) === 'EEXIST') return false
      throw error
    },
  )
  const { exitCode, stderr } = await git(['update-ref', '-z', '--stdin'], call)
  if (exitCode !== 0) {
    for (const { ref } of changes) await removeStaleLock(join(commonDir, `${ref}.lock`), now)
    if (!isFirst) for (const name of sharedLocks) await removeStaleLock(join(commonDir, name), now, begun)
  }
  if (exitCode === 0 || isFirst) await rm(begun, { force: true })
  return exitCode === 0 ? null : (stderr.trim().split('\n')[0] ?? '')
}

function renderChange({ ref, from, to }: RefChange): string {
  if (to === null) return `delete ${ref}\0${from ?? ''}\0`
  return from === null ? `create ${ref}\0${to}\0` : `update ${ref}\0${to}\0${from}\0`
}

/** `begun`: only a lock that was taken right after this file was written. */
async function removeStaleLock(path: string, now: number, begun?: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs <= staleMs) return
    const afterMs = begun === undefined ? 0 : mtimeMs - (await stat(begun)).mtimeMs
    if (afterMs >= 0 && afterMs < takenWithinMs) await rm(path, { force: true })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
