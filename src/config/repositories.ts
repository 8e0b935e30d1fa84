// What the user's config says of single repositories: `[repositories."/home/me/code/app"]`. Only there: a repository cannot configure
// offshoot, since it may be hostile.
import { AppError } from '../model/error.ts'
import { isTable, lookUp, readConfigFile } from './read.ts'

export interface RepositorySetting {
  /** A line for the shell that is run in each new workspace. */
  readonly setup?: string
  /** Seconds it may take. */
  readonly setup_timeout?: number
}

/** By path, as it is written there: absolute, or from the home folder (`~/`). */
export type RepositorySettings = Readonly<Record<string, RepositorySetting>>

const keys = ['setup', 'setup_timeout']

export async function readRepositorySettings(file: string): Promise<RepositorySettings> {
  const found = lookUp(await readConfigFile(file), 'repositories') ?? {}
  if (!isTable(found)) throw new AppError('bad_config', `${file}: repositories must be a table`)
  for (const [path, setting] of Object.entries(found)) {
    const fault = faultOfRepository(path, setting)
    if (fault !== null) throw new AppError('bad_config', `${file}: repositories."${path}" ${fault}`)
  }
  return found as RepositorySettings
}

export function faultOfRepository(path: string, setting: unknown): string | null {
  if (!/^(\/|~\/|~$)/.test(path)) return 'must be named by an absolute path, or one that begins with ~/'
  if (!isTable(setting)) return 'must be a table'
  const unknown = Object.keys(setting).find((key) => !keys.includes(key))
  if (unknown !== undefined) return `has no setting ${unknown}; it takes ${keys.join(', ')}`
  const { setup, setup_timeout: timeout } = setting
  if (setup !== undefined && (typeof setup !== 'string' || setup.trim() === '' || setup.includes('\0'))) {
    return 'needs a command line for setup'
  }
  if (timeout !== undefined && !(Number.isSafeInteger(timeout) && Number(timeout) > 0)) {
    return 'needs a whole number of seconds for setup_timeout'
  }
  return null
}
