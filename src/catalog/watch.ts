// Tells of changes in the agents' folders as they happen. The file system only says that something moved; what changed is
// told by comparing discovery with discovery, because another process may have brought the catalogue up to date before us.
import { existsSync } from 'node:fs'
import type { FSWatcher } from 'chokidar'
import type { SessionFile } from '../agents/agent.ts'
import type { SessionChange } from '../model/catalog.ts'
import type { CatalogContext } from './context.ts'
import type { RefreshOutcome } from './refresh.ts'

const settleMs = 80
/** Where the system has no watches left (inotify's limit), looking again and again has to do. */
const pollMs = 800
/** How often to look whether a process that had a session open has ended: one that is killed writes nothing. */
const endsMs = 1000
/** chokidar loses what happens below a folder that was missing at first, so we wait for such a folder ourselves. */
const appearMs = 300

export interface Watching {
  close(): Promise<void>
}

export async function watchSessions(
  context: CatalogContext,
  refresh: () => Promise<RefreshOutcome>,
  onChange: (change: SessionChange) => void,
): Promise<Watching> {
  const { watch } = await import('chokidar')
  const missing = new Map(context.agents.map((agent) => [agent.sessionsFolder(context.env), agent.sessionsDepth]))
  let known = byPath((await refresh()).files)
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let lookAgain = false
  let poll: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const now = byPath((await refresh()).files)
    const changes = findChanges(known, now)
    known = now
    if (!closed) for (const change of changes) onChange(change)
  }

  /** What comes while a look is due has another follow: chokidar drops what is written within 50 ms of what it told. */
  function lookSoon(): void {
    if (closed) return
    if (timer !== undefined) {
      lookAgain = true
      return
    }
    timer = setTimeout(() => {
      timer = undefined
      if (lookAgain) {
        lookAgain = false
        lookSoon()
      }
      // A refresh that fails (a busy database) must not end the watching: the next event tries again.
      looking = looking.then(look).catch(lookSoon)
    }, settleMs)
  }

  const watchers: FSWatcher[] = []

  /** Resolves when every watch in the folder is set. One watcher per folder: chokidar says `ready` only once in its life. */
  function watchFolder(folder: string, depth: number): Promise<void> {
    const watcher = watch(folder, { depth, ignoreInitial: true, ignorePermissionErrors: true })
    watchers.push(watcher)
    watcher.on('all', lookSoon)
    watcher.on('error', () => {
      poll ??= setInterval(lookSoon, pollMs)
    })
    return new Promise((resolve) => watcher.once('ready', () => resolve()))
  }

  /** A second look follows the first, for what was written while the watches were being set. */
  async function takeUpFolders(): Promise<void> {
    const appeared = [...missing].filter(([folder]) => existsSync(folder))
    for (const [folder] of appeared) missing.delete(folder)
    if (missing.size === 0) clearInterval(waiting)
    if (appeared.length === 0) return
    lookSoon()
    await Promise.all(appeared.map(([folder, depth]) => watchFolder(folder, depth)))
    lookSoon()
  }

  let open = listOpen(context)
  const ends = setInterval(() => {
    const before = open
    open = listOpen(context)
    for (const [name, { agent, sessionId }] of before) {
      const isKnown = [...known.values()].some((file) => file.agent === agent && file.id === sessionId)
      if (!open.has(name) && isKnown && !closed) onChange({ agent, sessionId, change: 'updated' })
    }
  }, endsMs)

  const waiting = setInterval(takeUpFolders, appearMs)
  await takeUpFolders()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      clearInterval(ends)
      clearInterval(waiting)
      await Promise.all(watchers.map((watcher) => watcher.close()))
      await looking
    },
  }
}

/** Sessions some process has open. */
function listOpen({ agents, env }: CatalogContext): Map<string, Pick<SessionChange, 'agent' | 'sessionId'>> {
  const open = agents.flatMap((agent) => agent.live(env).map(({ sessionId }) => ({ agent: agent.id, sessionId })))
  return new Map(open.map((each) => [`${each.agent}:${each.sessionId}`, each]))
}

function byPath(files: readonly SessionFile[]): Map<string, SessionFile> {
  return new Map(files.map((file) => [`${file.agent}\0${file.path}`, file]))
}

function findChanges(before: ReadonlyMap<string, SessionFile>, after: ReadonlyMap<string, SessionFile>): SessionChange[] {
  const changes = new Map<string, SessionChange>()
  const note = ({ agent, id }: SessionFile, change: SessionChange['change']) =>
    changes.set(`${agent}:${id}`, { agent, sessionId: id, change })
  const idsBefore = new Set([...before.values()].map(({ agent, id }) => `${agent}:${id}`))
  for (const [path, file] of before) if (!after.has(path)) note(file, 'removed')
  for (const [path, file] of after) {
    const old = before.get(path)
    // Under another path but the same id it moved (archived, or begun a new segment): no new session.
    if (old === undefined) note(file, idsBefore.has(`${file.agent}:${file.id}`) ? 'updated' : 'added')
    else if (old.bytes !== file.bytes || old.modifiedAt !== file.modifiedAt || old.inode !== file.inode) note(file, 'updated')
  }
  return [...changes.values()]
}
