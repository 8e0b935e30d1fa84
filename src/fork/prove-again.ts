// Proves a fork that could not be proven when it was made: its file appears with the first prompt only, or the process that
// made it was cut off. The source's bytes before the fork are not known any more then, or are those noted at the time.
import { statSync } from 'node:fs'
import type { SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Cut, Proof } from '../model/fork.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { ForkContext } from './context.ts'
import { toSessionFile } from './make-session.ts'
import { proveFolder, provePrefix } from './prove.ts'

interface RememberedSource {
  readonly path: string
  readonly olderPaths: readonly string[]
  readonly cut: Cut
  readonly turnId: string | null
}

/** `null` when there is no parent, or its file is gone: nothing can be said. */
export async function proveAgain(context: ForkContext, record: ForkRecord, later = false): Promise<Proof | null> {
  if (record.parent === null) return null
  const { path, olderPaths, cut, turnId } = record.source as RememberedSource
  const source = statSync(path, { throwIfNoEntry: false })
  if (source === undefined) return null
  const agent = agentOf(context, record.agent)
  const child =
    record.file === null || record.sessionId === null ? null : toSessionFile(record.agent, record.sessionId, record.file)
  const parentFile: SessionFile = { ...toSessionFile(record.parent.agent, record.parent.sessionId, path), olderPaths }
  const byAgent = record.strategy === 'native'
  const claim = { agent, env: context.env, source: parentFile, cut, lastTurnId: turnId, child, cwd: record.cwd, byAgent, later }
  const prefix =
    record.strategy === 'seed'
      ? { prefixVerified: child !== null, details: ['the session was made; its seed is not kept to compare it with'] }
      : await provePrefix(claim)
  const folder = await proveFolder(claim)
  return {
    sourceUnchanged: record.proof?.sourceUnchanged ?? true,
    prefixVerified: prefix.prefixVerified,
    cwdVerified: folder.cwdVerified,
    details: [...(record.proof?.details.slice(0, 1) ?? []), ...prefix.details, ...folder.details],
  }
}

/** A listing must not fail for it: said in the proof, and tried again with the next change. */
function doubt({ proof }: ForkRecord, error: unknown): Proof | null {
  if (proof === null) return null
  const reason = `could not be checked yet: ${errorMessage(error)}`
  return { ...proof, details: [...proof.details.filter((each) => !each.startsWith('could not be checked yet')), reason] }
}

/** After a refresh: forks whose file the agent has made by now. */
export async function proveWaiting(context: ForkContext): Promise<void> {
  const store = context.store()
  for (const record of store.forks.waitingForProof()) {
    const session = record.sessionId === null ? undefined : store.sessions.withId(record.agent, record.sessionId)[0]
    if (session === undefined || session.turns === 0) continue
    const found = { ...record, file: session.path }
    const proof = await proveAgain(context, found, true).catch((error: unknown) => doubt(record, error))
    if (proof !== null) store.forks.put({ ...found, proof })
  }
}
