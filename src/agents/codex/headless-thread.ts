// Opens a thread in a server: a new one, one that is there, or a fork. A thread has one writer at a time (0.166): another Codex
// that has it open is waited for as long as it may be on its way out, and named after that.
import { setTimeout as pause } from 'node:timers/promises'
import { cleanLine } from '../../lib/clean-text.ts'
import { isFolder } from '../../lib/is-folder.ts'
import { isObject } from '../../lib/jsonl.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { ConversationRequest } from '../runs.ts'
import { canExcludeTurns } from './abilities.ts'
import type { OpenServer } from './app-server.ts'
import { type Body, textOrNull } from './lines.ts'
import { listLive } from './live.ts'

export interface OpenedThread {
  readonly id: string
  readonly model: string | null
}

export interface WriterPatience {
  readonly everyMs: number
  /** A process that is ending lets go within a moment. */
  readonly tries: number
  /** The background server of the terminal UI keeps a thread for a minute after the UI has gone. */
  readonly daemonTries: number
}

const patience: WriterPatience = { everyMs: 250, tries: 20, daemonTries: 260 }

export async function openThread(
  server: OpenServer,
  env: AgentEnv,
  { begin, cwd, title }: Pick<ConversationRequest, 'begin' | 'cwd' | 'title'>,
  settings: Body,
): Promise<OpenedThread> {
  // Codex does not look: it would work in a folder that is not there.
  if (!isFolder(cwd)) throw new AppError('failed', `${cwd} is no folder.`)
  if (begin.kind === 'resume') return resumeThread(server, env, begin.sessionId, settings)
  const opened =
    begin.kind === 'start'
      ? openedIn(await server.request('thread/start', settings))
      : openedIn(await server.request('thread/fork', { threadId: begin.sourceId, ...settings, ...withoutTurns(server) }))
  if (begin.kind === 'fork' && opened.id === begin.sourceId) {
    throw new AppError('failed', `Codex was to fork ${begin.sourceId}, but opened it.`)
  }
  // The name also makes Codex write the file of a thread that nobody has prompted yet.
  if (title !== undefined) await server.request('thread/name/set', { threadId: opened.id, name: title })
  return opened
}

export async function resumeThread(
  server: OpenServer,
  env: AgentEnv,
  threadId: string,
  settings: Body,
  { everyMs, tries, daemonTries }: WriterPatience = patience,
): Promise<OpenedThread> {
  for (let tried = 1; ; tried += 1) {
    try {
      const opened = openedIn(await server.request('thread/resume', { threadId, ...settings, ...withoutTurns(server) }))
      if (opened.id !== threadId) throw new AppError('failed', `Codex was to open ${threadId}, but opened ${opened.id}.`)
      return opened
    } catch (error) {
      if (error instanceof AppError && error.message.includes('no rollout found')) {
        throw new AppError('session_not_found', `Codex has no session ${threadId}.`, { cause: error })
      }
      if (!(error instanceof AppError) || !error.message.includes('active writer')) throw error
      const holder = holderOf(env, threadId)
      if (tried >= (holder.isDaemon ? daemonTries : tries)) throw openElsewhere(threadId, holder.words, error)
    }
    await pause(everyMs)
  }
}

function openElsewhere(threadId: string, words: string, cause: AppError): AppError {
  return new AppError('busy', `codex:${threadId} is open in another Codex${words}.`, {
    hint: 'Close it there first, or fork the session.',
    cause,
  })
}

function holderOf(env: AgentEnv, threadId: string): { isDaemon: boolean; words: string } {
  const pid = listLive(env).find(({ sessionId }) => sessionId === threadId)?.pid ?? null
  const command = pid === null ? null : commandOf(pid)
  const isDaemon = command?.includes('--managed-daemon') ?? false
  if (pid === null) return { isDaemon, words: '' }
  return { isDaemon, words: `: process ${pid}${command === null ? '' : ` (${command})`}` }
}

function commandOf(pid: number): string | null {
  try {
    return cleanLine(readRegularText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')).slice(0, 120)
  } catch {
    return null // no such list on this system, or gone meanwhile
  }
}

function withoutTurns({ version }: OpenServer): Body {
  return canExcludeTurns(version ?? '0') ? { excludeTurns: true } : {}
}

function openedIn({ thread, model }: Body): OpenedThread {
  const id = isObject(thread) ? textOrNull(thread.id) : null
  if (id === null) throw new AppError('failed', 'Codex opened a thread, but did not say which.')
  return { id, model: textOrNull(model) }
}
