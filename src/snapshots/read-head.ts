// Where HEAD stands, with as few processes as can be: its name from the file, its commit and tree from one `cat-file`.
import { join } from 'node:path'
import { loadRegularText } from '../lib/regular-file.ts'
import { showPath } from './byte-path.ts'
import type { Git } from './git.ts'
import type { WorkTree } from './repository.ts'

export interface Head {
  /** `null` before the first commit. */
  readonly commit: string | null
  readonly tree: string | null
  /** `null` when HEAD is detached. */
  readonly branch: string | null
  /** What `ref` names; `null` when there is no such ref. */
  readonly named: string | null
}

/** With what another ref names, asked for in the same breath. */
export async function readHead(git: Git, { root: cwd, gitDir }: WorkTree, ref: string): Promise<Head> {
  const input = ['HEAD^{commit}', 'HEAD^{tree}', ref].map((name) => `${name}\n`).join('')
  const [branch, { stdout }] = await Promise.all([
    readBranch(git, cwd, gitDir),
    git(['cat-file', '--batch-check=%(objectname)'], { cwd, input }),
  ])
  const [commit, tree, named] = stdout.split('\n').map((line) => (/^[0-9a-f]+$/.test(line) ? line : null))
  return { commit: commit ?? null, tree: tree ?? null, named: named ?? null, branch }
}

async function readBranch(git: Git, cwd: string, gitDir: string): Promise<string | null> {
  const text = await loadRegularText(join(gitDir, 'HEAD'))
  const target = /^ref: (.*)$/m.exec(text)?.[1]
  // A repository that keeps its refs in a table (git 2.45) has only this stand-in there.
  const name = target === 'refs/heads/.invalid' ? await askBranch(git, cwd) : target
  return name?.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null
}

async function askBranch(git: Git, cwd: string): Promise<string> {
  return showPath((await git(['symbolic-ref', '--quiet', 'HEAD'], { cwd, accept: [0, 1] })).stdout.trim())
}
