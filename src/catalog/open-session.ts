// A session as it can be read now. Files of it that are gone, and files of other sessions that it builds on, are brought back from
// the archive for as long as it is read: into a private folder of ours, under their own names, which agents read ids from.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SessionFile } from '../agents/agent.ts'
import type { AgentEnv, StandIn } from '../agents/agent-env.ts'
import type { Base } from '../agents/reading.ts'
import { isAlive } from '../lib/is-alive.ts'
import { listOwnNames } from '../lib/own-folder.ts'
import { AppError } from '../model/error.ts'
import { readGeneration } from './archive-files.ts'
import { findCopy } from './archive-index.ts'
import { isGone } from './compare.ts'
import type { CatalogContext } from './context.ts'

export interface OpenSession {
  readonly file: SessionFile
  readonly env: AgentEnv
  /** Brings more files back. */
  add(paths: readonly string[]): Promise<void>
  /** Removes what was brought back. */
  close(): void
}

/** Throws `unreadable` when the session's own file is gone and there is no copy; without the others it is read as far as it goes. */
export async function openSession(
  context: CatalogContext,
  file: SessionFile,
  builtOn: readonly Pick<Base, 'path'>[] = [],
): Promise<OpenSession> {
  const copies = new Map<string, string>()
  let folder: string | undefined

  async function add(paths: readonly string[]): Promise<void> {
    for (const path of new Set(paths)) {
      if (copies.has(path) || !isGone(path)) continue
      const copy = context.store().archive.at(file.agent, path)
      if (copy === null) continue
      folder ??= makeFolder(context)
      copies.set(path, await bringBack(context, { ...copy, id: copy.sessionId }, join(folder, String(copies.size))))
    }
  }
  const close = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    await add([file.path, ...file.olderPaths, ...builtOn.map(({ path }) => path)])
    if (!copies.has(file.path) && isGone(file.path))
      throw new AppError('unreadable', `There is no archived copy of ${file.path}.`)
  } catch (error) {
    close()
    throw error
  }
  return {
    get file() {
      return copies.size === 0 ? file : redirect(file, copies)
    },
    get env() {
      const standIns: StandIn[] = [...copies].map(([path, copy]) => ({ path, copy }))
      return standIns.length === 0 ? context.env : { ...context.env, standIns }
    },
    add,
    close,
  }
}

function redirect(file: SessionFile, copies: ReadonlyMap<string, string>): SessionFile {
  const olderPaths = file.olderPaths.flatMap((path) => copies.get(path) ?? (isGone(path) ? [] : path))
  const path = copies.get(file.path)
  if (path === undefined) return { ...file, olderPaths }
  const { size, mtimeMs, ino } = statSync(path)
  return { ...file, path, bytes: size, modifiedAt: mtimeMs, inode: ino, olderPaths }
}

async function bringBack(
  context: CatalogContext,
  archived: Pick<SessionFile, 'agent' | 'id' | 'path'>,
  folder: string,
): Promise<string> {
  const { folder: segments, generation } = findCopy(context, archived)
  mkdirSync(folder, { mode: 0o700 })
  const path = join(folder, basename(archived.path))
  await pipeline(readGeneration(segments, generation), createWriteStream(path, { mode: 0o600 }))
  return path
}

function makeFolder({ folder }: CatalogContext): string {
  const parent = join(folder, 'tmp')
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  for (const name of listOwnNames(folder, parent)) {
    const pid = /^reading-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(parent, `reading-${process.pid}-`))
}
