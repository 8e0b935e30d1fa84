// `offshoot workers`: the agents offshoot runs, newest first, each as it is now.
import { basename } from 'node:path'
import { cleanLine } from '../../lib/text/clean.ts'
import { type Column, formatTable } from '../../lib/text/table.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { renderWorker } from '../../model/render-worker.ts'
import type { Worker } from '../../model/worker.ts'
import type { Context } from '../context.ts'
import { shortIds } from '../short-id.ts'
import { describeState } from '../workers/describe.ts'

export interface WorkersOptions {
  readonly all?: true | undefined
  readonly json?: true | undefined
}

export async function listWorkers(context: Context, { all, json }: WorkersOptions): Promise<void> {
  const { out } = context
  const workers = await (await context.app()).listWorkers({ ended: all === true })
  if (json === true) {
    await out.json({ workers: workers.map(renderWorker) })
    return
  }
  if (workers.length === 0) {
    out.note(all === true ? 'offshoot has started no agent yet.' : 'No agent of offshoot runs now.')
    out.note('To start one in a pane of tmux: offshoot start claude --terminal tmux')
    if (all !== true) out.note('To see those that have ended: offshoot workers --all')
    return
  }
  await printTable(context, workers)
}

async function printTable(context: Context, workers: readonly Worker[]): Promise<void> {
  const { out } = context
  const { bold, cyan, dim, green, yellow } = out.colors
  const named = workers.map(({ agent, sessionId }) => ({ agent, id: sessionId ?? '' }))
  const ids = shortIds(named)
  const sessions = new Map(workers.map((worker, at) => [worker, ids.get(named[at] ?? { agent: worker.agent, id: '' }) ?? '-']))
  const paint = (text: string, { state }: Worker) =>
    state === 'waiting' ? yellow(text) : state === 'running' ? green(text) : state === 'exited' ? dim(text) : text
  const layout: Column<Worker>[] = [
    { title: 'WORKER', cell: ({ name }) => name, paint: cyan },
    { title: 'SESSION', cell: (worker) => (worker.sessionId === null ? worker.agent : (sessions.get(worker) ?? '-')) },
    { title: 'WHERE', cell: placeOf, paint: dim },
    { title: 'FOLDER', cell: ({ cwd }) => cleanLine(basename(cwd)) || '/', paint: dim },
    { title: 'STARTED', cell: ({ createdAt }) => timeAgo(createdAt, context.now()), paint: dim, side: 'right' },
    { title: 'STATE', cell: (worker) => cleanLine(describeState(worker)), paint, flexible: true },
  ]
  for (const line of formatTable(workers, layout, { columns: out.columns, paintTitle: bold })) await out.line(line)
}

function placeOf({ kind, terminal, terminalId }: Worker): string {
  if (kind === 'headless') return 'headless'
  return terminal === 'print' ? 'your terminal' : cleanLine(`${terminal} ${terminalId ?? ''}`).trim()
}
