// Does what the state asks for, with the app, and answers with events. No rule of its own: one kind, one call.

import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../app.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import type { DiffResult } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { MakingProgress } from '../model/fork.ts'
import { modelNameProblem } from '../model/model-name.ts'
import type { Effect, SessionName } from './effects.ts'
import type { TuiEvent } from './events.ts'
import type { TuiState } from './state.ts'
import { lastTurn } from './update/change-transcript.ts'
import { madeLines } from './update/open-fork.ts'

/** An event without its time. */
type Told<E = TuiEvent> = E extends unknown ? Omit<E, 'at'> : never

export interface EffectsOptions {
  readonly app: App
  /** The repository one stands in: what `scope: repository` means. */
  readonly repository: string | null
  readonly tell: (event: Told) => void
  readonly state: () => TuiState
  /** Gives the terminal to a program and takes it back when it ends. */
  readonly handOver: (argv: readonly string[], cwd: string) => Promise<number>
  readonly write: (sequence: string) => void
  readonly suspend: () => void
  readonly remember: (state: TuiState) => Promise<void>
  readonly listFiles: (cwd: string) => Promise<readonly string[]>
  readonly quit: () => void
}

const searchLimit = 30
/** Those who type on want no answer for what is there so far. */
const searchDelayMs = 60
const shownFiles = 12
/** Between two notices that a workspace is still being set up. */
const setupNoticeSeconds = 5

export function createEffects(options: EffectsOptions): (effect: Effect) => void {
  const { app, repository, tell } = options
  const running = new Map<string, AbortController>()
  const repo = (scope: 'repository' | 'all') => (scope === 'repository' && repository !== null ? { repo: repository } : {})
  const find = async ({ agent, sessionId }: SessionName) => (await app.resolve(`${agent}:${sessionId}`)).session

  /** A later one of the same kind makes an earlier one void. */
  function latest(kind: string): AbortSignal {
    running.get(kind)?.abort()
    const controller = new AbortController()
    running.set(kind, controller)
    return controller.signal
  }

  async function run(effect: Effect): Promise<void> {
    switch (effect.kind) {
      case 'list_sessions': {
        const signal = latest('list_sessions')
        const agent = effect.agent === null ? {} : { agent: effect.agent }
        const sessions = await app.listSessions({ ...repo(effect.scope), ...agent })
        const elsewhere = sessions.length > 0 ? 0 : (await app.listSessions({}, { refresh: false })).length
        return signal.aborted ? undefined : tell({ kind: 'sessions_listed', sessions, elsewhere })
      }
      case 'search': {
        const signal = latest('search')
        const agent = effect.agent === null ? {} : { agent: effect.agent }
        await pause(searchDelayMs)
        if (signal.aborted) return
        // The index is kept up to date in the background: whoever types must not wait for it.
        const query = { text: effect.text, limit: searchLimit, ...repo(effect.scope), ...agent }
        const answer = await app.search(query, { signal, updateMs: 0 })
        return signal.aborted ? undefined : tell({ kind: 'searched', text: effect.text, answer })
      }
      case 'read_index':
        return tell({ kind: 'index_read', index: await app.indexStatus() })
      case 'open_session': {
        const session = await find(effect.session)
        const window = await app.readTurns(session, { last: effect.turns })
        return tell({ kind: 'session_opened', tabId: effect.tabId, session, ...window })
      }
      case 'read_turns': {
        const { from, messages } = await app.readTurns(await find(effect.session), { from: effect.from, to: effect.to })
        return tell({ kind: 'turns_read', tabId: effect.tabId, from, to: effect.to, messages })
      }
      case 'follow': {
        const session = await find(effect.session)
        return tell({
          kind: 'session_grew',
          tabId: effect.tabId,
          session,
          ...(await app.readTurns(session, { from: effect.from })),
        })
      }
      case 'send':
        return send(effect)
      case 'interrupt':
        await app.interruptWorker(effect.session.sessionId)
        return
      case 'answer': {
        const tab = options.state().tabs.find(({ id }) => id === effect.tabId)
        if (tab !== undefined) await app.answerPermission(tab.sessionId, effect.requestId, effect.decision)
        return
      }
      case 'plan_fork': {
        const signal = latest('plan_fork')
        const plan = await app.planFork(effect.request)
        return signal.aborted ? undefined : tell({ kind: 'planned', plan })
      }
      case 'fork': {
        let next = 1
        const onProgress = ({ command, seconds }: MakingProgress) => {
          if (seconds < next) return
          next += setupNoticeSeconds
          tell({ kind: 'told', text: `Setting up (${command}), ${Math.round(seconds)} s` })
        }
        const result = await app.executeFork(effect.plan, { accept: effect.accept, onProgress })
        return tell({ kind: 'forked', result, seedId: result.fork.strategy === 'seed' ? result.fork.id : null })
      }
      case 'read_tree':
        return tell({
          kind: 'tree_read',
          roots: await app.tree(effect.session === null ? repo('repository') : await find(effect.session)),
        })
      case 'diff': {
        const { patch } = await app.diff({ from: effect.address })
        return tell({ kind: 'diffed', patch: patch ?? '' })
      }
      case 'compare':
        return compare(effect)
      case 'label_session': {
        const label = await app.labelSession(await find(effect.session), effect.label)
        return tell({ kind: 'labelled', session: effect.session, label })
      }
      case 'plan_restore': {
        const plan = await app.planRestore({ address: effect.address })
        return tell({ kind: 'restore_planned', plan })
      }
      case 'restore': {
        const { restored } = await app.restore(effect.plan)
        return tell({ kind: 'told', text: `${restored.length} files were brought back; offshoot undo takes that back.` })
      }
      case 'list_workers':
        return tell({ kind: 'workers_listed', workers: await app.listWorkers() })
      case 'stop_worker':
        await app.stopWorker(effect.name)
        return tell({ kind: 'workers_listed', workers: await app.listWorkers() })
      case 'send_to_worker': {
        const { delivery } = await app.sendToWorker(effect.name, effect.prompt, { wait: false })
        return tell({
          kind: 'told',
          text: delivery === 'confirmed' ? `${effect.name} has it.` : `Sent to ${effect.name}; whether it took it is not known.`,
        })
      }
      case 'fork_worker': {
        const worker = await app.forkWorker(effect.name, effect.newName === null ? {} : { name: effect.newName })
        const made = [`${worker.name} is a fork of ${effect.name}, in ${worker.cwd}.`, ...madeLines(worker)]
        tell({ kind: 'told', text: made.join(' ') })
        return tell({ kind: 'workers_listed', workers: await app.listWorkers() })
      }
      case 'attach': {
        const { shown, command } = await app.attachWorker(effect.worker)
        if (command !== null && !shown) await options.handOver(command, process.cwd())
        return
      }
      case 'open_in_cli':
        return openInCli(effect)
      case 'complete_files': {
        const signal = latest(`complete ${effect.tabId}`)
        const word = effect.word.toLowerCase()
        const files = (await options.listFiles(effect.cwd))
          .filter((path) => path.toLowerCase().includes(word))
          .slice(0, shownFiles)
        return signal.aborted ? undefined : tell({ kind: 'completed', tabId: effect.tabId, word: effect.word, files })
      }
      case 'complete_models': {
        const signal = latest(`complete ${effect.tabId}`)
        const sessions = await app.listSessions({ agent: effect.agent }, { refresh: false })
        const models = seenModels(sessions)
          .filter((name) => name.startsWith(effect.word))
          .slice(0, shownFiles)
        return signal.aborted ? undefined : tell({ kind: 'models_found', tabId: effect.tabId, word: effect.word, models })
      }
      case 'remember':
        return options.remember(options.state())
      case 'copy':
        // OSC 52: the terminal puts it on the clipboard, also through ssh.
        return options.write(`\u001b]52;c;${Buffer.from(effect.text).toString('base64')}\u0007`)
      case 'suspend':
        return options.suspend()
      case 'quit':
        return options.quit()
    }
  }

  /** What they cost is known also where their code was not captured. */
  async function compare({ one, other }: Extract<Effect, { kind: 'compare' }>): Promise<void> {
    const signal = latest('compare')
    const [left, right] = [(await app.resolve(one)).session, (await app.resolve(other)).session]
    const [costs, code] = await Promise.all([app.compareCosts(left, right), diffOrProblem(one, other)])
    if (!signal.aborted) tell({ kind: 'compared', costs, ...code })
  }

  async function diffOrProblem(from: string, to: string): Promise<{ diff: DiffResult | null; problem: string | null }> {
    try {
      return { diff: await app.diff({ from, to }), problem: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { diff: null, problem: `${error.message} ${error.hint}`.trim() }
    }
  }

  async function send({ tabId, session: name, prompt, model }: Extract<Effect, { kind: 'send' }>): Promise<void> {
    const session = await find(name)
    const chosen = model === undefined ? {} : { model }
    await app.sendToSession(session, prompt, { ...chosen, onEvent: (event) => tell({ kind: 'run', tabId, event }) })
    readOn(tabId, name)
  }

  /** What is new in the file. A tab that was closed meanwhile wants nothing. */
  function readOn(tabId: string, session: SessionName): void {
    const tab = options.state().tabs.find(({ id }) => id === tabId)
    if (tab !== undefined) runEffect({ kind: 'follow', tabId, session, from: lastTurn(tab.transcript) })
  }

  /** The agent's own UI on this very session, in this terminal; what it did is there when it ends. */
  async function openInCli({ tabId, session: name }: Extract<Effect, { kind: 'open_in_cli' }>): Promise<void> {
    const session = await find(name)
    const spec = await app.openCommand(session)
    await options.handOver(spec.argv, spec.cwd)
    readOn(tabId, name)
  }

  function runEffect(effect: Effect): void {
    run(effect).catch((error: unknown) => {
      // Called off by ourselves: something newer was asked.
      if (error instanceof Error && error.name === 'AbortError') return
      const fault = toMachineFault(error)
      const [message, hint] = fault === null ? [String(error), ''] : [fault.message, hintFor(effect, fault)]
      tell(failureOf(effect, message, hint))
    })
  }
  return runEffect
}

/** Each once, those used last first; what Claude Code notes for answers of its own (`<synthetic>`) is no model. */
function seenModels(sessions: readonly CatalogSession[]): readonly string[] {
  const names = sessions.flatMap(({ model }) => (model === null ? [] : [model]))
  return [...new Set(names)].filter((name) => modelNameProblem(name) === null && !name.startsWith('<'))
}

/** A fork of a worker has no dialog in which its warnings could be accepted. */
function hintFor(effect: Effect, { code, hint }: AppError): string {
  if (effect.kind !== 'fork_worker' || code !== 'confirm_needed') return hint
  const names = [effect.name, effect.newName].filter((name) => name !== null).join(' ')
  return `To see the plan and accept it, run in a shell: offshoot fork worker:${names}`
}

/** Where a failure is to be shown. */
function failureOf(effect: Effect, message: string, hint: string): Told {
  switch (effect.kind) {
    case 'open_session':
      return { kind: 'open_failed', tabId: effect.tabId, message }
    case 'send':
      return { kind: 'run_failed', tabId: effect.tabId, message, hint }
    case 'plan_fork':
      return { kind: 'plan_failed', message, hint }
    case 'fork':
      return { kind: 'fork_failed', message, hint }
    default:
      return { kind: 'failed', message, hint, of: effect.kind }
  }
}
