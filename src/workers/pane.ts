// A terminal worker as it is now: what its terminal says of the pane, and what the agent's own records and screen say of the
// agent in it. How it ended is written down when it is first seen.
import type { PaneDriver, PaneLook } from '../agents/runs.ts'
import { lastLines } from '../lib/last-lines.ts'
import { isRunning } from '../lib/process-owner.ts'
import { AppError } from '../model/error.ts'
import type { WorkerState } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { PaneRef, PaneStatus, PaneView, Terminal } from '../terminals/terminal.ts'
import { runsOf, type WorkerContext } from './context.ts'
import { noteLast } from './files.ts'
import { catchUpHistory } from './history.ts'
import { noteLastOutcome } from './last-outcome.ts'
import { amend } from './register.ts'
import { withoutSecrets } from './told.ts'
import { paneOf, placeOf } from './view.ts'

export interface OpenPane {
  readonly terminal: Terminal
  readonly pane: PaneRef
  readonly driver: PaneDriver
}

export interface PaneSight {
  readonly record: WorkerRecord
  readonly state: WorkerState
  readonly status: PaneStatus | null
  readonly look: PaneLook | null
  /** What stands on the screen: for whoever has to say why it did not start. */
  readonly screen: readonly string[]
}

const stateOf: Readonly<Record<PaneLook['state'], WorkerState>> = {
  starting: 'starting',
  idle: 'idle',
  busy: 'running',
  waiting: 'waiting',
  dialog: 'waiting',
  ended: 'exited',
}

export async function openPaneOf(context: WorkerContext, record: WorkerRecord): Promise<OpenPane> {
  const pane = paneOf(record) ?? (await findAgain(context, record))
  if (pane === 'opening') throw new AppError('worker_busy', `"${record.name}" is not ready yet.`)
  if (pane === null) throw new AppError('pane_gone', `"${record.name}" has no pane.`)
  const [terminal, runs] = await Promise.all([context.terminal(pane.terminal), runsOf(context, record)])
  return { terminal, pane, driver: runs.pane }
}

/** Whoever started it is killed and wrote no pane down: one that opened all the same is written down now. */
async function findAgain(context: WorkerContext, record: WorkerRecord): Promise<PaneRef | 'opening' | null> {
  if (record.owner !== null && isRunning(record.owner)) return 'opening'
  const found = record.terminal === null ? null : await context.findPane(record.terminal, record.id)
  if (found === null || found === 'opening') return found
  const isOpen = ({ pane, endedAt }: WorkerRecord) => pane === null && endedAt === null
  amend(context, record.id, (stored) => (isOpen(stored) ? { pane: found, owner: null } : {}))
  return found
}

/** `given`: the pane as somebody has just seen it. */
export async function seePane(context: WorkerContext, known: WorkerRecord, given?: PaneView): Promise<PaneSight> {
  // Whoever follows it for long has an old entry; what others saw meanwhile counts.
  let record = context.store().workers.get(known.id) ?? known
  if (record.endedAt !== null) return { record, state: record.state, status: null, look: null, screen: [] }
  if (paneOf(record) === null) {
    const found = await findAgain(context, record)
    if (found === 'opening') return { record, state: 'starting', status: null, look: null, screen: [] }
    if (found === null) {
      // Whoever took the name was killed before the pane was there. One that comes now has nothing to start.
      await context.forgetPane({ tag: record.id })
      return noteEnd(context, record, neverOpened)
    }
    record = context.store().workers.get(record.id) ?? record
  }
  const { terminal, pane, driver } = await openPaneOf(context, record)
  const { status, screen } = given ?? (await viewPane(terminal, pane))
  if (status.state !== 'running' || screen === null) return noteEnd(context, record, status)
  // Nobody has run what was printed.
  if (status.pid === null && pane.terminal === 'print') return { record, state: 'starting', status, look: null, screen: [] }
  const { lines, title } = screen
  const look = driver.look(context.env, { pid: status.pid, sessionId: record.sessionId, screen: lines, title })
  const state = stateOf[look.state]
  // Its pane goes on a moment longer: how it ended, and in the middle of what, is told with that.
  if (look.state === 'ended') return { record, state, status, look, screen: lines }
  return { record: remember(context, record, state, status.pid), state, status, look, screen: lines }
}

const neverOpened: PaneStatus = {
  state: 'gone',
  exitStatus: null,
  signal: null,
  pid: null,
  procStart: null,
  inputBlocked: true,
}

/** A terminal of the person's own: only the agent's records can tell. */
const unseen = { lines: [], title: '' }

async function viewPane(terminal: Terminal, pane: PaneRef): Promise<PaneView> {
  if (terminal.view !== undefined) return terminal.view(pane)
  const status = await terminal.status(pane)
  if (status.state !== 'running') return { status, screen: null }
  if (pane.terminal === 'print') return { status, screen: unseen }
  try {
    return { status, screen: await terminal.read(pane) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'pane_gone') throw error
    // It has gone since it was asked for.
    const now = await terminal.status(pane)
    if (now.state === 'running') throw error
    return { status: now, screen: null }
  }
}

function remember(context: WorkerContext, record: WorkerRecord, state: WorkerState, pid: number | null): WorkerRecord {
  // Whoever stops it has said so already; its agent may take a moment to end.
  if ((record.state === state && record.pid === pid) || record.state === 'stopped') return record
  return amend(context, record.id, { state, pid }) ?? record
}

async function noteEnd(context: WorkerContext, record: WorkerRecord, status: PaneStatus): Promise<PaneSight> {
  const { exitStatus, signal: exitSignal } = status
  const exited = status.state === 'exited' || exitStatus !== null || exitSignal !== null ? 'exited' : 'lost'
  const words = record.state === 'stopped' || exitStatus === 0 ? [] : await lastScreen(context, record)
  let isFirst = false
  let isStopped = false
  const noted = amend(context, record.id, (stored) => {
    isFirst = stored.endedAt === null
    isStopped = stored.state === 'stopped'
    const state = isStopped ? 'stopped' : exited
    const cutOff = stored.state === 'running' || stored.state === 'waiting'
    const end = { state, exitStatus, exitSignal, pid: null, endedAt: context.now() } as const
    return isFirst ? { ...end, turnCutOff: stored.turnCutOff || cutOff } : {}
  })
  const ended = noted ?? record
  const sight = { record: ended, state: ended.state, status, look: null, screen: words }
  if (!isFirst) return sight
  await noteLastOutcome(context, sight)
  const said = isStopped ? '' : lastLines(words.join('\n'))
  const error = said === '' ? null : await withoutSecrets(said)
  // How it ended comes after how its last turn did.
  if (error !== null) noteLast(context.folder, record.id, { error, readFrom: null })
  const data = { ...placeOf(record), status: exitStatus, signal: exitSignal, stopped: isStopped, error }
  context.events.emit({ type: 'worker.exited', data })
  const pane = paneOf(record)
  // A pane that failed stays open to be read, and its terminal clears it away by that folder.
  if (exitStatus === 0 && pane !== null) await context.forgetPane(pane)
  await catchUpHistory(context, ended)
  return sight
}

/** What an agent that failed has left on the screen, as far as its pane is still there. */
export async function lastScreen(context: WorkerContext, record: WorkerRecord): Promise<readonly string[]> {
  try {
    const { terminal, pane } = await openPaneOf(context, record)
    const { lines } = await terminal.read(pane)
    // tmux' own words below those of the agent.
    return lines.filter((line) => !/^Pane is dead \(/.test(line))
  } catch (error) {
    if (error instanceof AppError) return [] // it is gone, and what it showed with it
    throw error
  }
}
