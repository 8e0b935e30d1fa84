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
  /** `false`: git looks away from the executable bit. */
  readonly filemode: boolean
  /** To pass on to every call that compares names: see `overrides`. */
  readonly overrides: Readonly<Record<string, string>>
}

const names = 'core\\.(sparsecheckout|autocrlf|eol|filemode|ignorecase)'

export async function readSettings(git: Git, repository: Repository): Promise<GitSettings> {
  const cwd = repository.root ?? repository.commonDir
  const { stdout } = await git(['config', '-z', '--get-regexp', `^${names}$`], { cwd, accept: [0, 1] })
  const values = new Map<string, string>()
  for (const record of splitRecords(stdout)) {
    const [name = '', value = 'true'] = record.split('\n')
    values.set(name.slice('core.'.length), value.toLowerCase())
  }
  const autocrlf = values.get('autocrlf') === 'input' ? 'input' : isTrue(values.get('autocrlf'), false) ? 'true' : 'false'
  return {
    sparse: isTrue(values.get('sparsecheckout'), false),
    autocrlf,
    eolIsCrlf: values.get('eol') === 'crlf',
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
