// The Node a service runs by: the real file, since the links of version managers come and go, but not Homebrew's versioned folder,
// which the next upgrade removes.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'

export function findNode(execPath: string): string {
  const real = realOf(execPath) ?? execPath
  const [, prefix, formula] = /^(.+)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/.exec(real) ?? []
  if (prefix === undefined || formula === undefined) return real
  const lasting = [join(prefix, 'opt', formula, 'bin', 'node'), join(prefix, 'bin', 'node')]
  return lasting.find((path) => realOf(path) === real) ?? real
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null // not there
  }
}
