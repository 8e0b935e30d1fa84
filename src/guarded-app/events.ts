// Which events may be heard. Judging may take a look at the file system, so each listener has a queue: order is kept.
import type { CatalogSession, RefreshProgress } from '../model/catalog.ts'
import type { AppEvent } from '../model/event.ts'
import type { Worker } from '../model/worker.ts'
import type { Gate } from './gate.ts'
import type { Sessions, Visible } from './visible.ts'

export interface EventGate {
  readonly gate: Gate
  readonly visible: Visible
  readonly maskWorker: <W extends Worker>(worker: W) => W
  readonly now: () => number
}

/** A session that has no row yet streams its first answer: hundreds of events about one folder. */
const folderHoldMs = 1000

export function filterEvents(
  subscribe: (listener: (event: AppEvent) => void) => () => void,
  context: EventGate,
  listener: (event: AppEvent) => void,
): () => void {
  const { gate, now } = context
  let queue: Promise<void> = Promise.resolve()
  let folder: { readonly name: string | null; readonly at: number; readonly lets: Promise<boolean> } | undefined
  const letsFolder = (name: string | null): Promise<boolean> => {
    const at = now()
    if (folder?.name !== name || Math.abs(at - folder.at) > folderHoldMs) folder = { name, at, lets: gate.letsFolder(name) }
    return folder.lets
  }
  let closed = false
  const stop = subscribe((event) => {
    if (changesSessions(event)) context.visible.told()
    queue = queue.then(async () => {
      // What cannot be judged (a busy database) is not passed on.
      if (!closed && (await mayHear(context.visible, letsFolder, event).catch(() => false)) && !closed)
        listener(maskEvent(context, event))
    })
  })
  return () => {
    closed = true
    stop()
  }
}

export function changesSessions({ type }: AppEvent): boolean {
  return type === 'session.updated' || type === 'fork.created' || type === 'worker.created' || type === 'turn.started'
}

async function mayHear(visible: Visible, letsFolder: Gate['letsFolder'], event: AppEvent): Promise<boolean> {
  if (event.type === 'index.progress') return true // masked below: a share, without figures of the whole machine
  const { agent, sessionId, cwd } = event.data
  const isThis = (session: CatalogSession) => session.agent === agent && session.id === sessionId
  const judge = (sessions: Sessions | null) => {
    const [seen, hidden] = [sessions?.seen.find(isThis) ?? null, sessions?.hidden.some(isThis) ?? false]
    return (seen !== null) === hidden ? null : { seen }
  }
  // A session nobody has a row of is just born, or just removed; of one id in two places one may be shut. Then its folder tells.
  const verdict = judge(visible.lastKnown()) ?? judge(await visible.sessions())
  if (verdict === null) return letsFolder(cwd)
  // A session that may be seen may be at work in a folder that may not.
  return verdict.seen !== null && (cwd === null || cwd === verdict.seen.cwd || letsFolder(cwd))
}

function maskEvent({ maskWorker }: EventGate, event: AppEvent): AppEvent {
  if (event.type === 'index.progress') return { ...event, data: maskProgress(event.data) }
  if (event.type !== 'worker.created') return event
  return { ...event, data: { ...event.data, worker: maskWorker(event.data.worker) } }
}

/** In percent: how many sessions the whole machine has is not said. */
export function maskProgress({ files, filesDone, bytes, bytesDone }: RefreshProgress): RefreshProgress {
  return { files: 100, filesDone: percent(filesDone, files), bytes: 100, bytesDone: percent(bytesDone, bytes) }
}

function percent(done: number, all: number): number {
  return all === 0 ? 100 : Math.floor((done / all) * 100)
}
