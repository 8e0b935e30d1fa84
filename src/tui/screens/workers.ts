// Running agents that offshoot started: what they do, and what they wait for.
import { cleanLine } from '../../lib/text/clean.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { cutToWidth, padToWidth } from '../../lib/text/width.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { Worker } from '../../model/worker.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { padStyled } from '../text/wrap-styled.ts'

export function drawWorkers(
  { workers, now }: TuiState,
  { selected }: Extract<Overlay, { kind: 'workers' }>,
  box: Box,
  paint: Paint,
): readonly Line[] {
  const head = [{ text: ` ${paint.bold('Workers')}` }, { text: '' }]
  if (workers.length === 0) {
    const lines = wrapText('None is running. `offshoot start claude --terminal tmux` starts one.', box.columns - 4)
    return [...head, ...lines.map((line) => ({ text: paint.dim(`  ${line}`) }))]
  }
  const most = box.rows - head.length
  const top = Math.max(0, Math.min(selected - most + 1, workers.length - most))
  return [
    ...head,
    ...workers.slice(top, top + most).map((worker, at): Line => {
      const text = `  ${describeWorker(worker, now, box.columns, paint)}`
      return {
        text: top + at === selected ? paint.selected(padStyled(text, box.columns)) : text,
        target: { kind: 'row', index: top + at },
      }
    }),
  ]
}

function describeWorker(worker: Worker, now: number, columns: number, paint: Paint): string {
  const style = {
    waiting: paint.warn,
    running: paint.ok,
    lost: paint.error,
    exited: paint.dim,
    stopped: paint.dim,
    idle: paint.accent,
    starting: paint.dim,
    resumable: paint.dim,
  }[worker.state]
  const wide = columns >= 90
  const room = wide ? 20 : 14
  const name = paint.bold(padToWidth(cutToWidth(cleanLine(worker.name), room), room))
  const place = worker.terminal === null ? worker.kind : `${worker.terminal} ${worker.terminalId ?? ''}`
  const asks =
    worker.permission === null
      ? ''
      : paint.warn(`  asks: ${cutToWidth(cleanLine(worker.permission.summary), Math.max(10, columns - (wide ? 66 : 52)))}`)
  return `${name} ${padToWidth(worker.agent, 7)}${style(padToWidth(worker.state, 10))}${paint.dim(`${wide ? padToWidth(place, 14) : ''}${timeAgo(worker.createdAt, now)}`)}${asks}`
}
