// Finds every session file: `projects/<folder>/<uuid>.jsonl`. Synchronous on purpose: for a few thousand files that takes tens
// of milliseconds, less than the promises would.
import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { errorMessage } from '../../lib/error-message.ts'
import { isMissing } from '../../lib/file-errors.ts'
import type { OnProblem, SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { projectsFolder } from './folders.ts'

const sessionName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i

export function* discoverSessions(env: AgentEnv, onProblem: OnProblem = ignore): Generator<SessionFile> {
  const projects = projectsFolder(env)
  for (const folder of namesIn(projects, onProblem)) {
    const path = join(projects, folder)
    for (const name of namesIn(path, onProblem)) {
      const id = sessionName.exec(name)?.[1]
      const file = id === undefined ? undefined : sessionFile(`${path}${sep}${name}`, id, onProblem)
      if (file) yield file
    }
  }
}

/** Empty for what is missing, and for the stray file among the project folders. */
function namesIn(folder: string, onProblem: OnProblem): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (!isMissing(error)) onProblem(folder, reasonOf(error))
    return []
  }
}

function sessionFile(path: string, id: string, onProblem: OnProblem): SessionFile | undefined {
  try {
    const stat = statSync(path)
    if (stat.isFile()) {
      const { size: bytes, mtimeMs, ino: inode } = stat
      return { agent: 'claude', id, path, bytes, modifiedAt: Math.floor(mtimeMs), inode, archived: false, olderPaths: [] }
    }
    onProblem(path, 'not a file, though it is named like a session')
  } catch (error) {
    onProblem(path, reasonOf(error))
  }
  return undefined
}

function reasonOf(error: unknown): string {
  return errorMessage(error)
}

function ignore(): void {
  // a caller who does not ask is not told
}
