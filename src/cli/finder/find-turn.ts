// The finder on a real terminal: type, see results change, read the turn, choose. Draws on the alternate screen, so that whatever
// was there before is there again after it; the index is brought up to date meanwhile.
import { basename } from 'node:path'
import type { App } from '../../app.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { AppError } from '../../model/error.ts'
import { sessionAddress, turnAddress } from '../../model/render.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { type FullScreen, openFullScreen, sizeOf } from '../picker/full-screen.ts'
import type { PickerKey } from '../picker/keys.ts'
import { type AskOptions, askOf } from '../searching/request.ts'
import { canDraw, type Terminal } from '../terminal.ts'
import { keepFresh } from './keep-fresh.ts'
import { createLiveSearch } from './live-search.ts'
import { createPreviewReader } from './read-preview.ts'
import { type FinderAction, highlighted, openFinder, updateFinder } from './state.ts'
import { drawFinder, finderRows } from './view.ts'

const builtinDelayMs = 60
/** qmd starts a process for every search. */
const qmdDelayMs = 500
/** While the index grows, what is shown is asked for again this often. */
const againMs = 1000
const listed = 50

/** The address of the turn a person chose. */
export async function findTurn(context: Context, text: string, options: AskOptions): Promise<string> {
  const terminal = context.terminal()
  if (terminal === null || !canDraw(context.vars)) {
    throw new AppError('usage', 'Searching as one types needs a terminal.', { hint: 'Leave out -i to get a list.' })
  }
  const query = await askOf(context, text, { ...options, limit: options.limit ?? listed })
  await context.out.flush()
  return runFinder(context, await context.app(), terminal, query)
}

function runFinder(context: Context, app: App, terminal: Terminal, query: SearchQuery): Promise<string> {
  const scope = query.repo === undefined ? 'all sessions' : `this repository (${basename(query.repo)})`
  let state = openFinder(query.text)
  let screen: FullScreen | undefined
  let askedAt = 0
  const previews = createPreviewReader(app, () => draw())
  const live = createLiveSearch({
    search: (text, signal) => app.search({ ...query, text }, { updateMs: 0, signal }),
    delayMs: query.engine === 'qmd' ? qmdDelayMs : builtinDelayMs,
    onFound: (text, answer) => update({ kind: 'found', text, answer }),
    onFault: (text, fault) => update({ kind: 'failed', text, fault: errorMessage(fault) }),
  })

  function draw(): void {
    if (screen?.isOpen() !== true) return // an answer that came too late
    const result = highlighted(state)
    const preview = result === undefined ? null : previews.get(result)
    const { colors } = context.out
    screen.show(drawFinder(state, preview, { scope, ...sizeOf(terminal), colors, now: context.now() }))
  }

  function update(action: FinderAction): void {
    const { text } = state
    state = updateFinder(state, action)
    if (state.text !== text) live.ask(state.text)
    draw()
  }

  /** Unless an answer is awaited anyway. */
  function askAgain(): void {
    askedAt = context.now()
    if (screen?.isOpen() === true && !state.waiting) live.ask(state.text, 'at once')
  }

  return new Promise((resolve, reject) => {
    const close = () => {
      screen?.close()
      live.close()
      return index.close()
    }
    const onKey = (key: PickerKey) => {
      if (key.kind === 'leave') {
        void close().then(() => reject(new AppError('interrupted', 'Nothing was done.')))
      } else if (key.kind === 'choose') {
        const result = highlighted(state)
        if (result === undefined || !result.canFork || state.waiting) return
        const { session, turn } = result
        void close().then(() => resolve(turn === null ? sessionAddress(session) : turnAddress(session, turn)))
      } else update(key)
    }
    context.onExit(() => live.close())
    const pageRows = () => finderRows(sizeOf(terminal).rows, state.answer?.results.length ?? 0)
    screen = openFullScreen(context, terminal, { draw, pageRows, onKey })
    draw()
    live.ask(state.text, 'at once')
    const index = keepFresh(app, {
      onProgress(progress) {
        update({ kind: 'indexing', progress })
        if (context.now() - askedAt > againMs) askAgain()
      },
      onGrown: askAgain,
      onProblem: (problem) => context.log.write('warn', 'indexing failed', { problem }),
    })
  })
}
