// Packs the loose objects of our snapshots: a thousand small turns take 66 MB loose and one packed. The person's packs are not
// touched, and nothing is ever pruned: an object no ref names may be their rescue, or another session's an instant before its ref.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from './git.ts'
import { rememberPack } from './join-packs.ts'

export interface PackOptions {
  /** Only when so many snapshots are not packed yet: each time makes one more pack, which are joined later (join-packs.ts). */
  readonly fromSnapshots?: number
}

const packTimeoutMs = 30 * 60_000

/** Tells whether there was something to pack. */
export async function packSnapshots(git: Git, commonDir: string, { fromSnapshots = 100 }: PackOptions = {}): Promise<boolean> {
  const { stdout } = await git(['for-each-ref', '--format=%(objectname)', 'refs/offshoot/'], { cwd: commonDir })
  const objects = join(commonDir, 'objects')
  const loose = stdout.split('\n').filter((id) => id !== '' && existsSync(join(objects, id.slice(0, 2), id.slice(2))))
  if (loose.length < Math.max(1, fromSnapshots)) return false
  // Incremental: what is in any pack already stays out, else each tree would drag in all the files that never changed.
  // In a partial clone, what is only at the remote stays there: it would be fetched.
  const kinds = ['--revs', '--incremental', '--exclude-promisor-objects', '--delta-base-offset']
  const args = ['pack-objects', '-q', ...kinds, join(objects, 'pack', 'pack')]
  const made = await git(args, { cwd: commonDir, input: stdout, timeoutMs: packTimeoutMs })
  await rememberPack(commonDir, made.stdout.trim())
  // Removes loose copies of what is packed, nothing else.
  await git(['prune-packed', '-q'], { cwd: commonDir, timeoutMs: packTimeoutMs })
  return true
}
