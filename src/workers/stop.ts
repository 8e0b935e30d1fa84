// Ends a worker; its session stays. A pane is closed, which its agent takes as a hangup and ends by itself; an agent that does not
// is ended by signals to the very process that was recorded.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileErrorCode } from '../lib/file-errors.ts'
import { describeProcess, isRunning, type ProcessOwner } from '../lib/process-owner.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { openPaneOf, type PaneSight, seePane } from './pane.ts'
import { amend } from './register.ts'
import { placeOf } from './view.ts'
import type { WorkerBench } from './workers.ts'

const patienceMs = 3000

export async function stopWorker(bench: WorkerBench, record: WorkerRecord): Promise<WorkerRecord> {
  const { context, headless } = bench
  if (record.kind === 'terminal') return stopPane(bench, record)
  await headless.close(record.id)
  return noteStopped(context, record)
}

async function stopPane({ context }: WorkerBench, record: WorkerRecord): Promise<WorkerRecord> {
  const { record: known, status } = await seeOpened(context, record)
  if (known.endedAt !== null) return known
  const agent = status?.pid == null ? null : describeProcess(status.pid)
  // Said before it is done, so that whoever sees the end knows that it was wanted.
  const isCutOff = known.state === 'running' || known.state === 'waiting'
  const told = amend(context, known.id, { state: 'stopped', turnCutOff: known.turnCutOff || isCutOff }) ?? known
  try {
    if (known.pane === null)
      await context.forgetPane({ tag: known.id }) // one that opens now has nothing to start
    else {
      const { terminal, pane } = await openPaneOf(context, known)
      await terminal.close(pane)
    }
    if (agent !== null) await endProcess(agent)
  } catch (error) {
    amend(context, known.id, { state: known.state, turnCutOff: known.turnCutOff })
    throw error
  }
  const sight = await seePane(context, told)
  if (sight.record.endedAt !== null) return sight.record
  // No terminal to ask (a pane that was never opened): it has ended all the same.
  return noteStopped(context, told)
}

/** Of one that is being opened: its agent may be about to start, and then could not be found any more. */
async function seeOpened(context: WorkerContext, record: WorkerRecord): Promise<PaneSight> {
  for (let waited = 0; ; waited += 50) {
    const sight = await seePane(context, record)
    if (sight.record.endedAt !== null || sight.record.pane !== null || waited >= patienceMs) return sight
    await sleep(50)
  }
}

function noteStopped(context: WorkerContext, record: WorkerRecord): WorkerRecord {
  const end = { state: 'stopped', exitStatus: null, exitSignal: null, pid: null, owner: null, endedAt: context.now() } as const
  const noted = amend(context, record.id, end) ?? record
  const data = { ...placeOf(record), status: null, signal: null, stopped: true, error: null }
  context.events.emit({ type: 'worker.exited', data })
  return noted
}

async function endProcess(agent: ProcessOwner): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (let waited = 0; waited < patienceMs; waited += 50) {
      if (!isRunning(agent)) return
      await sleep(50)
    }
    tell(agent.pid, signal)
  }
}

/** To its group where it leads one, so that what it started ends too. */
function tell(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal)
      return
    } catch (error) {
      if (fileErrorCode(error) !== 'ESRCH') throw error
    }
  }
}
