// What lies in offshoot's own folder: the private indexes of sessions (a cache, made again when needed), notes nobody understood,
// halves of files and what was moved aside.
import { lstat, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../lib/file-errors.ts'
import { listOwnNames } from '../../lib/own-folder.ts'
import { type AgentId, agentIds } from '../../model/session.ts'
import { garbageFolder } from '../pending.ts'
import { capturesFolder, sessionFolder } from '../session-state.ts'
import type { Finding, GcContext } from './gc.ts'

const dayMs = 86_400_000
const idleMs = 30 * dayMs

export async function findFileGarbage(gc: GcContext): Promise<Finding[]> {
  return [...(await findIndexes(gc)), ...(await findPending(gc)), ...(await findScratch(gc)), ...(await findTrash(gc))]
}

async function findIndexes(gc: GcContext): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const agent of agentIds) {
    for (const id of listOwnNames(gc.folder, join(capturesFolder(gc.folder), agent))) {
      if (isOfOtherRepository(gc, agent, id)) continue
      const path = sessionFolder(gc.folder, agent, id)
      const ageMs = gc.now() - (await newestIn(path))
      const alive = gc.sessions.isAlive(agent, id) || gc.sessions.isOpen(agent, id)
      if (ageMs < (alive ? idleMs : dayMs)) continue
      const reason = alive ? 'unused for a month; it is made again when needed' : 'its session is gone'
      const bytes = await measureFolder(path)
      const remove = () => rm(path, { recursive: true, force: true })
      findings.push({ kind: 'private_index', name: `${agent}:${id}`, path, reason, bytes, remove })
    }
  }
  return findings
}

/** What no captured turn places anywhere belongs to nobody in particular, and is always looked at. */
function isOfOtherRepository({ repository, store }: GcContext, agent: AgentId, sessionId: string): boolean {
  if (repository === null) return false
  const places = store()
    .captures.ofSession(agent, sessionId)
    .map(({ commonDir }) => commonDir)
  return places.length > 0 && !places.includes(repository)
}

async function findPending(gc: GcContext): Promise<Finding[]> {
  const path = garbageFolder(gc.folder)
  const count = listOwnNames(gc.folder, path).length
  if (count === 0) return []
  const name = count === 1 ? '1 note of a capture' : `${count} notes of captures`
  const reason = 'nobody could understand it; the refs hold what it told'
  const remove = () => rm(path, { recursive: true, force: true })
  return [{ kind: 'pending', name, path, reason, bytes: await measureFolder(path), remove }]
}

/** Indexes and halves of files that a process left when it was killed. */
async function findScratch(gc: GcContext): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const folder of ['scratch', 'pending'].map((name) => join(capturesFolder(gc.folder), name))) {
    for (const name of listOwnNames(gc.folder, folder)) {
      if (folder.endsWith('pending') && !name.endsWith('.part')) continue
      const path = join(folder, name)
      if (gc.now() - (await newestIn(path)) < dayMs) continue
      const remove = () => rm(path, { recursive: true, force: true })
      findings.push({
        kind: 'trash',
        name,
        path,
        reason: 'left over by a process that was cut off',
        bytes: await measureFolder(path),
        remove,
      })
    }
  }
  return findings
}

async function findTrash(gc: GcContext): Promise<Finding[]> {
  const path = join(gc.folder, 'trash')
  if (listOwnNames(gc.folder, path).length === 0) return []
  const remove = () => rm(path, { recursive: true, force: true })
  return [{ kind: 'trash', name: 'trash', path, reason: 'moved aside earlier', bytes: await measureFolder(path), remove }]
}

export interface FolderSurvey {
  readonly bytes: number
  /** When something in it was last written, made or removed. */
  readonly changedAt: number
}

/** Sizes as they are, links not followed; all 0 where there is nothing. */
export async function surveyFolder(path: string): Promise<FolderSurvey> {
  const stats = await lstat(path).catch(orNull)
  if (stats === null) return { bytes: 0, changedAt: 0 }
  if (!stats.isDirectory()) return { bytes: stats.size, changedAt: stats.mtimeMs }
  let [bytes, changedAt] = [0, stats.mtimeMs]
  for (const name of await namesIn(path)) {
    const inside = await surveyFolder(join(path, name))
    bytes += inside.bytes
    changedAt = Math.max(changedAt, inside.changedAt)
  }
  return { bytes, changedAt }
}

async function measureFolder(path: string): Promise<number> {
  return (await surveyFolder(path)).bytes
}

async function newestIn(path: string): Promise<number> {
  const own = (await stat(path).catch(orNull))?.mtimeMs ?? 0
  const inside = await Promise.all(
    (await namesIn(path)).map(async (name) => (await lstat(join(path, name)).catch(orNull))?.mtimeMs ?? 0),
  )
  return Math.max(own, ...inside)
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function orNull(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}
