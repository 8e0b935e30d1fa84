// A fork as it is written down: when it begins, when its session is there, when it is made.
import type { Cut, Plan } from '../model/fork.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { ForkContext } from './context.ts'
import { commandOf, fileBytes, type MadeSession } from './make-session.ts'
import { seenOf } from './seen.ts'
import { forkTitle } from './title.ts'
import type { ForkedRecord } from './view.ts'

/** Made and no longer in the journal, at one stroke; the session is linked anew, now that its parent is known. */
export function finishFork(context: ForkContext, record: ForkRecord): void {
  const store = context.store()
  store.write(() => {
    store.forks.put(record)
    store.journal.clear(record.id)
    if (record.sessionId === null) return
    for (const { key } of store.sessions.withId(record.agent, record.sessionId)) store.sessions.unlink(key)
  })
}

/** Of forks, whatever their sessions are called by now. */
export function takenTitles(context: ForkContext): string[] {
  const forks = context.store().forks.all()
  return forks.filter(({ state }) => state !== 'undone').map(({ title }) => title)
}

export function recordFork(context: ForkContext, forkId: string, plan: Plan, cut: Cut, sessionId: string | null): ForkedRecord {
  const seen = seenOf(plan)
  const store = context.store()
  return store.write(() => {
    // Counted on when another fork of the same session was made meanwhile.
    const taken = new Set(takenTitles(context))
    const title = seen.ownTitle || !taken.has(plan.title) ? plan.title : forkTitle(seen.parentTitle, taken)
    const record: ForkedRecord = {
      id: forkId,
      state: 'making',
      agent: plan.agent,
      sessionId,
      strategy: plan.strategy,
      title,
      file: null,
      fileBytes: null,
      createdPaths: [],
      cwd: plan.cwd,
      command: { argv: [], cwd: plan.cwd, env: {} },
      workspaceId: seen.workspace?.id ?? null,
      parent: plan.parent,
      source: { path: seen.source.path, olderPaths: seen.source.olderPaths, cut, turnId: seen.turnId },
      proof: null,
      createdAt: store.timeOfNext(context.now()),
      undoneAt: null,
    }
    store.forks.put(record)
    return record
  })
}

export function withSession(
  context: ForkContext,
  record: ForkedRecord,
  plan: Plan,
  { file }: MadeSession,
  cwd: string,
): ForkedRecord {
  return {
    ...record,
    sessionId: file.sessionId,
    file: file.path,
    fileBytes: fileBytes(file.path),
    createdPaths: file.created,
    cwd,
    command: commandOf(context, plan, file, cwd, false),
  }
}
