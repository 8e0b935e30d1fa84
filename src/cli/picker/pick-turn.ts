// The picker on a real terminal: draws on the alternate screen, so that whatever was there before is there again after it.
import type { App } from '../../app.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import type { Turn } from '../../model/session.ts'
import type { Context } from '../context.ts'
import type { Terminal } from '../terminal.ts'
import { readKeys } from './keys.ts'
import { createAnswerReader } from './read-answer.ts'
import { highlighted, openPicker, updatePicker } from './state.ts'
import { drawPicker, listRows } from './view.ts'

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'

export async function pickTurn(
  context: Context,
  app: App,
  terminal: Terminal,
  session: CatalogSession,
  turns: readonly Turn[],
): Promise<Turn> {
  await context.out.flush()
  const { output } = terminal
  const size = () => ({ columns: output.columns || 80, rows: output.rows || 24 })
  let state = openPicker(turns)
  let open = true
  const answers = createAnswerReader(app, session, () => draw())

  function draw(): void {
    if (!open) return // an answer that was read too late
    const turn = highlighted(state)
    const preview = turn === undefined ? null : answers.get(turn)
    const { colors } = context.out
    const options = { title: session.title, ...size(), colors, now: context.now() }
    const lines = drawPicker(state, preview, options)
    // Home, then line by line with the rest of each erased: nothing flickers and nothing old stays.
    output.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`)
  }

  return new Promise((resolve, reject) => {
    const close = () => {
      if (!open) return
      open = false
      stopKeys()
      output.removeListener('resize', draw)
      output.write(leave)
    }
    context.onExit(close)
    output.write(enter)
    output.on('resize', draw)
    const stopKeys = readKeys(
      terminal,
      () => listRows(size().rows, turns.length),
      (key) => {
        if (key.kind === 'leave') {
          close()
          reject(new AppError('interrupted', 'Nothing was done.'))
        } else if (key.kind === 'choose') {
          const turn = highlighted(state)
          if (turn === undefined) return
          close()
          resolve(turn)
        } else {
          state = updatePicker(state, key)
          draw()
        }
      },
    )
    draw()
  })
}
