// Files of our own that outlive their use: private indexes of sessions, and what was moved aside to be deleted later.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { type AgentId, agentIds } from '../model/session.ts'
import { look } from './look.ts'
import { isSafeId } from './snapshot.ts'

export interface SessionFiles {
  readonly agent: AgentId
  readonly sessionId: string
  /** Folder with the session's private indexes and what the hook remembers. */
  readonly path: string
  readonly bytes: number
  /** When any of them was last written. */
  readonly usedAt: number
}

/** `folder` is `$OFFSHOOT_HOME/captures`; anything else in it is passed over. */
export async function listSessionFiles(folder: string): Promise<SessionFiles[]> {
  const found: SessionFiles[] = []
  for (const agent of agentIds) {
    for (const sessionId of (await list(join(folder, agent))).filter(isSafeId)) {
      const path = join(folder, agent, sessionId)
      if (!(await look(path))?.isDirectory()) continue
      found.push({ agent, sessionId, path, ...(await measureFolder(path)) })
    }
  }
  return found
}

/** Losing them loses no snapshot: the next turn of that session, should there be one, only takes longer. */
export async function removeSessionFiles({ path }: SessionFiles): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Sizes as the files say; links are not followed. What goes away meanwhile counts nothing. */
export async function measureFolder(path: string): Promise<{ bytes: number; usedAt: number }> {
  let bytes = 0
  let usedAt = 0
  const open = [Buffer.from(path)]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const stats = await look(place)
    if (stats === null) continue
    if (stats.isDirectory()) {
      for (const name of await listBytes(place)) {
        open.push(Buffer.concat([place, Buffer.from('/'), name]))
      }
    } else {
      bytes += Number(stats.size)
      usedAt = Math.max(usedAt, Number(stats.mtimeMs))
    }
  }
  return { bytes, usedAt }
}

async function listBytes(place: Buffer): Promise<Buffer[]> {
  try {
    return await readdir(place, { encoding: 'buffer' })
  } catch (error) {
    if (isMissing(error) || fileErrorCode(error) === 'EACCES') return []
    throw error
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
