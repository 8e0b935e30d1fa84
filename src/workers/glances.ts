// The panes of many workers, looked at again and again: one question for all of them, and the screens only of those on which
// something was written since. An idle pane costs nothing more.
import type { WorkerRecord } from '../store/workers.ts'
import type { PaneGlance, PaneRef, PaneScreen, PaneView, Terminal, TerminalId } from '../terminals/terminal.ts'
import { paneOf } from './view.ts'

interface Known {
  readonly mark: string
  readonly screen: PaneScreen
  /** It was read after the second had passed that the mark names: nothing was missed. */
  readonly settled: boolean
}

/** Ask again after a second at the earliest: marks are as fine as that. Gives the views by worker; without one it is for `seePane`. */
export function createGlances(terminal: (id: TerminalId) => Promise<Terminal>) {
  const known = new Map<string, Known>()

  async function viewOf(of: Terminal, pane: PaneRef, { status, mark }: PaneGlance): Promise<PaneView | null> {
    if (status.state !== 'running') return { status, screen: null }
    const before = known.get(pane.tag)
    const same = before?.mark === mark
    if (before !== undefined && same && before.settled) return { status, screen: before.screen }
    const view = (await of.view?.(pane)) ?? null
    if (view !== null && view.screen !== null) known.set(pane.tag, { mark, screen: view.screen, settled: same })
    return view
  }

  return async (records: readonly WorkerRecord[]): Promise<ReadonlyMap<string, PaneView>> => {
    const views = new Map<string, PaneView>()
    const panes = records.flatMap((record) => paneOf(record) ?? [])
    for (const id of new Set(panes.map((pane) => pane.terminal))) {
      const of = await terminal(id)
      const its = panes.filter((pane) => pane.terminal === id)
      for (const [tag, glance] of (await of.glance?.(its)) ?? []) {
        const pane = its.find((each) => each.tag === tag)
        const view = pane === undefined ? null : await viewOf(of, pane, glance)
        if (view !== null) views.set(tag, view)
      }
    }
    const tags = new Set(panes.map(({ tag }) => tag))
    for (const tag of [...known.keys()]) if (!tags.has(tag)) known.delete(tag)
    return views
  }
}
