// What differs between HEAD, the index and the files: `git status --porcelain=v2 -z`, read and parsed.
// Renames are off: a rename is a guess of git's, and what is carried is files.
import { asBytePath, type BytePath, showPath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'

export interface StatusEntry {
  readonly kind: 'changed' | 'unmerged' | 'untracked' | 'ignored'
  readonly path: BytePath
  /** Index against HEAD, files against index: `.` is "no change". Empty for untracked and ignored. */
  readonly staged: string
  readonly unstaged: string
  /** `null` for files; `SCMU` with a dot for each of "other commit, modified, untracked" that does not hold. */
  readonly submodule: string | null
  /** The whole record: equal records are equal states. */
  readonly record: string
}

export interface Status {
  /** `null` before the first commit. */
  readonly commit: string | null
  /** `null` when HEAD is detached. */
  readonly branch: string | null
  readonly entries: readonly StatusEntry[]
}

export interface StatusOptions {
  readonly index?: string
  readonly ignored?: boolean
  readonly config?: Readonly<Record<string, string>>
  /** Lets git write what it learned into the index: only ever in a work tree of our own making. */
  readonly refresh?: boolean
}

export async function readStatus(git: Git, root: string, options: StatusOptions = {}): Promise<Status> {
  const { ignored = false, ...call } = options
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--no-ahead-behind', '--no-renames', '--untracked-files=all']
  args.push('--ignore-submodules=none', `--ignored=${ignored ? 'matching' : 'no'}`)
  return parseStatus((await git(args, { cwd: root, ...call })).stdout)
}

export function parseStatus(output: string): Status {
  let commit: string | null = null
  let branch: string | null = null
  const entries: StatusEntry[] = []
  for (const record of splitRecords(output)) {
    if (record.startsWith('# branch.oid ')) commit = unlessBracketed(record.slice(13))
    else if (record.startsWith('# branch.head ')) branch = unlessBracketed(showPath(record.slice(14)))
    else if (!record.startsWith('#')) entries.push(parseEntry(record))
  }
  return { commit, branch, entries }
}

function unlessBracketed(value: string): string | null {
  return value === '(initial)' || value === '(detached)' ? null : value
}

/** Fields before the path: `1 XY sub mH mI mW hH hI`, `u XY sub m1 m2 m3 mW h1 h2 h3`. */
const fieldsBefore = { '1': 8, u: 10 } as const

function parseEntry(record: string): StatusEntry {
  const mark = record[0]
  if (mark === '?' || mark === '!') {
    const kind = mark === '?' ? 'untracked' : 'ignored'
    return { kind, path: asBytePath(record.slice(2)), staged: '', unstaged: '', submodule: null, record }
  }
  if (mark !== '1' && mark !== 'u') throw new Error(`git status gave a record of a kind that was not asked for: ${record}`)
  let start = 0
  for (let field = 0; field < fieldsBefore[mark]; field++) start = record.indexOf(' ', start) + 1
  const submodule = record.slice(5, 9)
  return {
    kind: mark === '1' ? 'changed' : 'unmerged',
    path: asBytePath(record.slice(start)),
    staged: record.slice(2, 3),
    unstaged: record.slice(3, 4),
    submodule: submodule.startsWith('S') ? submodule : null,
    record,
  }
}

/** An untracked repository inside this one: git shows the folder and never looks inside. */
export function isEmbeddedRepository(entry: StatusEntry): boolean {
  return entry.kind === 'untracked' && entry.path.endsWith('/')
}
