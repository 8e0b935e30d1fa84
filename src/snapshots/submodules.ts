// Submodules with work in them that is in no commit: a snapshot names a submodule's commit only.
import type { BytePath } from './byte-path.ts'
import type { Git } from './git.ts'
import { parseStatus } from './status.ts'

/** One process for each submodule, which is git's way; none where there is none. */
export async function listDirtySubmodules(git: Git, root: string, submodules: readonly BytePath[]): Promise<BytePath[]> {
  if (submodules.length === 0) return []
  const args = ['--literal-pathspecs', 'status', '--porcelain=v2', '-z', '--no-renames', '--ignore-submodules=none']
  // An argument cannot hold a byte that is not UTF-8: then the whole work tree is looked at.
  const paths = submodules.every((path) => /^[\x20-\x7e]+$/.test(path)) ? ['--', ...submodules] : []
  const { stdout } = await git([...args, '--untracked-files=normal', ...paths], { cwd: root })
  const dirty = parseStatus(stdout).entries.filter(({ submodule }) => /[MU]/.test(submodule ?? ''))
  return dirty.map(({ path }) => path)
}
