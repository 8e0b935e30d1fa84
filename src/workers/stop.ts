// Ends a worker; its session stays. A pane is closed, which its agent takes as a hangup and ends by itself; an agent that does not
// is ended by signals to the very process that was recorded.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileErrorCode } from '../lib/file-errors.ts'
import { describeProcess, isRunning, type ProcessOwner } from '../lib/process-owner.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { openPaneOf, seePane } from './pane.ts'
import { amend } from './register.ts'
import { placeOf } from './view.ts'
import type { WorkerBench } from './workers.ts'

const patienceMs = 3000

export async function stopWorker(bench: WorkerBench, record: WorkerRecord): Promise<WorkerRecord> {
  const { context, headless } = bench
  if (record.kind === 'terminal') return stopPane(bench, record)
  await headless.close(record.id)
  const end = { state: 'exited', exitStatus: 0, exitSignal: null, pid: null, owner: null, endedAt: context.now() } as const
  const noted = amend(context, record.id, end) ?? record
  context.events.emit({ type: 'worker.exited', data: { ...placeOf(record), status: 0, signal: null } })
  return noted
}

async function stopPane({ context }: WorkerBench, record: WorkerRecord): Promise<WorkerRecord> {
  const { record: known, status } = await seePane(context, record)
  if (known.endedAt !== null) return known
  const agent = status?.pid == null ? null : describeProcess(status.pid)
  if (known.pane !== null) {
    const { terminal, pane } = await openPaneOf(context, known)
    await terminal.close(pane)
  }
  if (agent !== null) await endProcess(agent)
  const sight = await seePane(context, known)
  if (sight.record.endedAt !== null) return sight.record
  // No terminal to ask (a pane that was never opened): it has ended all the same.
  return amend(context, record.id, { state: 'exited', pid: null, endedAt: context.now() }) ?? known
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
