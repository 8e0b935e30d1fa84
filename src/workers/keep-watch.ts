// For who stays (the server, the terminal UI): watches sessions, captures and panes, and lets events tell of them.
import type { EventLog } from '../lib/event-log.ts'
import type { CatalogSession, SessionChange, SessionQuery } from '../model/catalog.ts'
import type { AgentId, Turn } from '../model/session.ts'
import type { Store } from '../store/store.ts'

interface Watching {
  close(): Promise<void>
}

export interface WatchContext {
  readonly events: EventLog
  readonly now: () => number
  readonly store: () => Store
  readonly catalog: {
    watch(onChange: (change: SessionChange) => void): Promise<Watching>
    listSessions(query?: SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  }
  readonly watchCaptures: (options: { readonly onCaptured: (session: CatalogSession, turn: Turn) => void }) => Promise<Watching>
  readonly watchPanes: () => Promise<Watching>
}

/** A hook's notes are taken into the table by a process of its own, moments after the session's file changed; on a busy machine later. */
const ingestMs = [1500, 4000, 12_000] as const

export async function keepWatch(context: WatchContext): Promise<Watching> {
  const { events } = context
  const captures = createCaptureTeller(context)
  const sessions = await context.catalog.watch((change) => {
    const cwd = cwdOf(context.store(), change.agent, change.sessionId)
    events.emit({ type: 'session.updated', data: { ...change, cwd } })
    if (change.change !== 'removed') captures.lookLater(change.agent, change.sessionId)
  })
  const watchings = [
    sessions,
    await context.watchCaptures({ onCaptured: ({ agent, id }) => captures.lookLater(agent, id) }),
    await context.watchPanes(),
  ]
  return {
    async close() {
      captures.close()
      for (const watching of watchings) await watching.close()
    },
  }
}

function cwdOf(store: Store, agent: AgentId, sessionId: string): string | null {
  const fork = store.forks.ofSession(agent, sessionId)
  return fork?.cwd ?? store.sessions.withId(agent, sessionId)[0]?.cwd ?? null
}

function workerOf(store: Store, agent: AgentId, sessionId: string): string | null {
  return store.workers.all().find((worker) => worker.agent === agent && worker.sessionId === sessionId)?.id ?? null
}

/** Each turn that was captured since the watching began is told once, whoever captured it. */
function createCaptureTeller({ events, now, store }: WatchContext) {
  const since = now()
  const told = new Set<string>()
  const due = new Map<string, NodeJS.Timeout>()

  /** Whether there was something to tell. */
  function look(agent: AgentId, sessionId: string): boolean {
    const before = told.size
    for (const { moment, turnId, number, endedAt, root } of store().captures.ofSession(agent, sessionId)) {
      if (moment !== 'end' || turnId === null || (endedAt ?? 0) < since || told.has(`${agent}:${turnId}`)) continue
      told.add(`${agent}:${turnId}`)
      const cwd = cwdOf(store(), agent, sessionId) ?? root ?? ''
      const workerId = workerOf(store(), agent, sessionId)
      events.emit({ type: 'capture.done', data: { agent, sessionId, cwd, workerId, turnId, number } })
    }
    return told.size > before
  }

  function lookLater(agent: AgentId, sessionId: string, [ms, ...later]: readonly number[] = ingestMs): void {
    const key = `${agent}:${sessionId}`
    clearTimeout(due.get(key))
    due.delete(key)
    if (ms === undefined) return
    const timer = setTimeout(() => lookLater(agent, sessionId, look(agent, sessionId) ? [] : later), ms)
    due.set(key, timer)
  }

  return {
    lookLater: (agent: AgentId, sessionId: string) => lookLater(agent, sessionId),
    close(): void {
      for (const timer of due.values()) clearTimeout(timer)
    },
  }
}
