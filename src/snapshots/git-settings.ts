// The few settings of a repository that decide how its files are carried: one call of `git config`.
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import type { Repository } from './repository.ts'

export interface GitSettings {
  readonly sparse: boolean
  readonly autocrlf: 'true' | 'input' | 'false'
  readonly eolIsCrlf: boolean
  /** Where attributes of the person's own are, when they say so. */
  readonly attributesFile: string | null
  /** All that is said of filters, to see when something else is. */
  readonly filters: string
  /** Filters for which the repository's own configuration names a command to write files with. */
  readonly ownSmudges: ReadonlySet<string>
  /** `false`: git looks away from the executable bit. */
  readonly filemode: boolean
  /** To pass on to every call that compares names: see `overrides`. */
  readonly overrides: Readonly<Record<string, string>>
}

/** What a filter that only cleans is given to write files with. */
const runsNothing = ['', 'cat']

const names = '(core\\.(sparsecheckout|autocrlf|eol|filemode|ignorecase|attributesfile)|filter\\..*)'

export async function readSettings(git: Git, repository: Repository): Promise<GitSettings> {
  const cwd = repository.root ?? repository.commonDir
  const { stdout } = await git(['config', '-z', '--show-scope', '--get-regexp', `^${names}$`], { cwd, accept: [0, 1] })
  const values = new Map<string, string>()
  const filters: string[] = []
  let attributesFile: string | null = null
  const ownSmudges = new Set<string>()
  const records = splitRecords(stdout)
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [scope = '', record = ''] = [records[at], records[at + 1]]
    const [name = '', value = 'true'] = record.split('\n')
    const smudges = /^filter\.(.*)\.(?:smudge|process)$/s.exec(name)?.[1]
    if (smudges !== undefined && ['local', 'worktree'].includes(scope) && !runsNothing.includes(value)) ownSmudges.add(smudges)
    if (name.startsWith('filter.')) filters.push(record)
    else if (name === 'core.attributesfile') attributesFile = value
    else values.set(name.slice('core.'.length), value.toLowerCase())
  }
  if (attributesFile?.startsWith('~')) {
    // Only git knows whose home is meant. Asked for all at once, `--type=path` fails on a name without a value.
    attributesFile = (await git(['config', '-z', '--type=path', '--get', 'core.attributesFile'], { cwd })).stdout.replace(
      '\0',
      '',
    )
  }
  const autocrlf = values.get('autocrlf') === 'input' ? 'input' : isTrue(values.get('autocrlf'), false) ? 'true' : 'false'
  return {
    sparse: isTrue(values.get('sparsecheckout'), false),
    autocrlf,
    eolIsCrlf: values.get('eol') === 'crlf',
    attributesFile,
    filters: filters.join('\0'),
    ownSmudges,
    filemode: isTrue(values.get('filemode'), true),
    overrides: isTrue(values.get('ignorecase'), false) ? await overrideCase(repository.gitDir) : {},
  }
}

/**
 * A repository that came from a Mac says `ignorecase` on a disk that tells case apart, and `Foo` renamed to `foo` is lost.
 * The disk is asked, not the setting.
 */
async function overrideCase(gitDir: string): Promise<Record<string, string>> {
  const sameUnderOtherCase = await lstat(join(gitDir, 'hEAd')).then(
    () => true,
    () => false,
  )
  return sameUnderOtherCase ? {} : { 'core.ignorecase': 'false' }
}

function isTrue(value: string | undefined, fallback: boolean): boolean {
  return value === undefined ? fallback : ['true', 'yes', 'on', '1'].includes(value)
}
