// Which sessions have a turn open in a workspace: a note of each in the worktree's git folder, so that a commit can name whose work
// besides its own it may hold. Only in workspaces, where there are few; elsewhere nothing is committed.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { type AgentId, agentIds } from '../model/session.ts'
import { isSafeId } from '../snapshots/snapshot.ts'
import { readState, sessionFolder } from './session-state.ts'

interface OpenSession {
  readonly agent: AgentId
  readonly sessionId: string
}

const notesIn = (gitDir: string) => join(gitDir, 'offshoot-turns')
const nameOf = ({ agent, sessionId }: OpenSession) => `${agent}.${sessionId}`

/** Where it cannot be written, no more is lost than a name in somebody's commit. */
export function noteOpen(gitDir: string, session: OpenSession): void {
  try {
    mkdirSync(notesIn(gitDir), { recursive: true })
    writeFileSync(join(notesIn(gitDir), nameOf(session)), '')
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error
  }
}

export function forgetOpen(gitDir: string, session: OpenSession): void {
  try {
    rmSync(join(notesIn(gitDir), nameOf(session)), { force: true })
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error
  }
}

/** Other sessions with an open turn there: `codex:<id>`. A note whose turn is over was left by a session that was cut off. */
export function listOthersOpen(offshootFolder: string, gitDir: string, root: string, own: OpenSession): string[] {
  return namesIn(notesIn(gitDir)).flatMap((name) => {
    const [agent, sessionId = ''] = name.split('.')
    const known = agentIds.find((each) => each === agent)
    if (known === undefined || !isSafeId(sessionId) || name === nameOf(own)) return []
    const open = readState(sessionFolder(offshootFolder, known, sessionId))?.open ?? null
    return open?.root === root ? [`${known}:${sessionId}`] : []
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
