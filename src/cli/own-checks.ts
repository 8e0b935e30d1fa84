// What `doctor` checks about offshoot itself, before any database is opened: Node, its home folder, its config file.
import { accessSync, chmodSync, constants, statSync } from 'node:fs'
import { readConfigFile } from '../config/read.ts'
import { runChecksApart } from '../lib/checks-apart.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { Check } from '../model/catalog.ts'
import type { Context } from './context.ts'

export interface OwnCheck extends Check {
  /** What `doctor --fix` does about it; absent when only the person can. */
  readonly mend?: () => void | Promise<void>
}

export async function checkOurselves(context: Context): Promise<readonly OwnCheck[]> {
  const { checkServer } = await import('./server-checks.ts')
  const { checkFiles } = await import('./file-checks.ts')
  return runChecksApart<OwnCheck>({
    node: checkNode,
    home: () => checkHome(context.paths.root),
    config: () => checkConfig(context),
    files: () => checkFiles(context),
    server: () => checkServer(context),
  })
}

function checkNode(): OwnCheck {
  return { id: 'node', state: 'ok', message: `Node ${process.versions.node}`, fix: null }
}

function checkHome(root: string): OwnCheck {
  try {
    const { mode } = statSync(root)
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK)
    if (process.platform === 'win32' || (mode & 0o077) === 0) return { id: 'home', state: 'ok', message: root, fix: null }
    return {
      id: 'home',
      state: 'warn',
      message: `${root} can be read by others on this machine`,
      fix: `chmod 700 ${root}`,
      mend: () => chmodSync(root, 0o700),
    }
  } catch (error) {
    if (!isMissing(error)) {
      return {
        id: 'home',
        state: 'fail',
        message: `${root} cannot be used: ${errorMessage(error)}`,
        fix: `Make ${root} yours, or set OFFSHOOT_HOME`,
      }
    }
    return { id: 'home', state: 'ok', message: `${root} (made when first needed)`, fix: null }
  }
}

async function checkConfig(context: Context): Promise<OwnCheck[]> {
  const file = context.paths.config
  const table = await readConfigFile(file)
  const { findFaults } = await import('../config/schema.ts')
  const faults = findFaults(table).map(({ key, problem }) => `${key} ${problem}`)
  await context.settings()
  if (faults.length === 0) return [{ id: 'config', state: 'ok', message: file, fix: null }]
  return faults.map((fault) => ({
    id: 'config',
    state: 'warn',
    message: `${file}: ${fault}`,
    fix: 'See `offshoot config list`',
  }))
}
