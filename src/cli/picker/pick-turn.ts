// The picker on a real terminal: draws on the alternate screen, so that whatever was there before is there again after it.
import type { App } from '../../app.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import type { Turn } from '../../model/session.ts'
import type { Context } from '../context.ts'
import type { Terminal } from '../terminal.ts'
import { type FullScreen, openFullScreen, sizeOf } from './full-screen.ts'
import type { PickerKey } from './keys.ts'
import { createAnswerReader } from './read-answer.ts'
import { highlighted, openPicker, updatePicker } from './state.ts'
import { drawPicker, listRows, type Preview, scrolledTo, type ViewOptions } from './view.ts'

export async function pickTurn(
  context: Context,
  app: App,
  terminal: Terminal,
  session: CatalogSession,
  turns: readonly Turn[],
): Promise<Turn> {
  await context.out.flush()
  let state = openPicker(turns)
  let screen: FullScreen | undefined
  const answers = createAnswerReader(app, session, () => draw())

  function draw(): void {
    if (screen?.isOpen() !== true) return // an answer that was read too late
    screen.show(drawPicker(state, previewNow(), viewOptions()))
  }

  function previewNow(): Preview {
    const turn = highlighted(state)
    return turn === undefined ? null : answers.get(turn)
  }

  function viewOptions(): ViewOptions {
    return { title: session.title, ...sizeOf(terminal), colors: context.out.colors, now: context.now() }
  }

  return new Promise((resolve, reject) => {
    const onKey = (key: PickerKey) => {
      if (key.kind === 'leave') {
        screen?.close()
        reject(new AppError('interrupted', 'Nothing was done.'))
      } else if (key.kind === 'choose') {
        const turn = highlighted(state)
        if (turn === undefined) return
        screen?.close()
        resolve(turn)
      } else {
        state = updatePicker(state, key)
        if (key.kind === 'scroll') state = { ...state, scroll: scrolledTo(state, previewNow(), viewOptions()) }
        draw()
      }
    }
    screen = openFullScreen(context, terminal, { draw, pageRows: () => listRows(sizeOf(terminal).rows, turns.length), onKey })
    draw()
  })
}
