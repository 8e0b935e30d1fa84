// The note in a workspace's git folder that says it is one of ours, and whose: the hook reads it to know that a turn there is
// also committed. It lies outside of the files, and goes with the worktree.
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import { type AgentId, agentIds } from '../model/session.ts'
import { isSafeId } from './snapshot.ts'

/** For whom a workspace is made. */
export interface WorkspaceUse {
  readonly agent: AgentId
  /** `null` until the agent told it (Codex names its session itself). */
  readonly sessionId: string | null
  /** Turns the session begins with, so that the next is number `keptTurns + 1`; `null` when unknown. */
  readonly keptTurns: number | null
  /** The remote to which each turn is pushed. */
  readonly push: string | null
}

export interface WorkspaceMarker extends WorkspaceUse {
  readonly version: 1
  readonly id: string
  readonly branch: string
}

const fileName = 'offshoot-workspace.json'

/** `gitDir` is the worktree's own, not the shared one. Written whole or not at all: the hook may read at any moment. */
export async function writeMarker(gitDir: string, marker: WorkspaceMarker): Promise<void> {
  const place = join(gitDir, fileName)
  const beside = `${place}.${process.pid}`
  await writeFile(beside, `${JSON.stringify(marker)}\n`, { mode: 0o644 })
  await rename(beside, place)
}

/** `null` in any work tree that offshoot did not make. */
export async function readMarker(gitDir: string): Promise<WorkspaceMarker | null> {
  let text: string
  try {
    text = await loadRegularText(join(gitDir, fileName))
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  return parseMarker(text)
}

/** Once more is known: the session's id, how many turns it kept. Does nothing where there is no marker. */
export async function amendMarker(gitDir: string, change: Partial<WorkspaceUse>): Promise<WorkspaceMarker | null> {
  const marker = await readMarker(gitDir)
  if (marker === null) return null
  const amended = { ...marker, ...change }
  await writeMarker(gitDir, amended)
  return amended
}

function parseMarker(text: string): WorkspaceMarker | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) return null
  const { id, branch, agent, sessionId, keptTurns, push } = value as Record<string, unknown>
  const known = agentIds.find((each) => each === agent)
  if (typeof id !== 'string' || typeof branch !== 'string' || known === undefined) return null
  return {
    version: 1,
    id,
    branch,
    agent: known,
    sessionId: typeof sessionId === 'string' && isSafeId(sessionId) ? sessionId : null,
    keptTurns: typeof keptTurns === 'number' && Number.isInteger(keptTurns) && keptTurns >= 0 ? keptTurns : null,
    push: typeof push === 'string' ? push : null,
  }
}
