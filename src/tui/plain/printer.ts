// Prints pieces one after the other, and a prompt when it is the person's turn. No cursor is ever moved: what stands, stands.
import { shownTab, topOverlay } from '../context.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { agentName } from './describe.ts'
import type { Piece } from './tell.ts'

export interface Printer {
  print(pieces: readonly Piece[]): void
  prompt(text: string): void
  /** The person has pressed Enter: the terminal itself went to the next line. */
  lineEnded(): void
  /** To the start of a line, so that a shell's prompt is not behind ours. */
  finish(): void
}

export function createPrinter(write: (text: string) => void): Printer {
  let isAtStart = true
  let hasPrompt = false
  const put = (text: string) => {
    if (text === '') return
    write(text)
    isAtStart = text.endsWith('\n')
  }
  const toStart = () => {
    if (!isAtStart) put('\n')
    hasPrompt = false
  }
  return {
    print(pieces) {
      for (const [at, { text, flows }] of pieces.entries()) {
        if (!flows || hasPrompt) toStart()
        put(flows || pieces[at + 1]?.flows === true ? text : `${text}\n`)
      }
    },
    prompt(text) {
      if (hasPrompt) return
      toStart()
      put(text)
      hasPrompt = true
    },
    lineEnded() {
      isAtStart = true
      hasPrompt = false
    },
    finish: toStart,
  }
}

const asked: Readonly<Record<Overlay['kind'], string>> = {
  fork: 'Fork',
  permission: 'Answer',
  confirm: 'Yes or no',
  ask: 'Text',
  tree: 'Tree',
  workers: 'Workers',
  diff: 'Next',
  compare: 'Next',
  help: 'Next',
  palette: 'Next',
}

/** Whose turn it is to say something, as a word. */
export function promptOf(state: TuiState): string {
  const overlay = topOverlay(state)
  const tab = shownTab(state)
  const place =
    overlay !== null ? asked[overlay.kind] : tab === null ? 'Sessions' : tab.backtrack !== null ? 'Message' : agentName(tab.agent)
  return `${place}> `
}

/** Something that was asked for is on its way: what is typed now would be about what is not there yet. */
export function isComing(state: TuiState): boolean {
  const overlay = topOverlay(state)
  switch (overlay?.kind) {
    case 'fork':
      return overlay.forking || (overlay.plan === null && overlay.problem === null)
    case 'tree':
      return overlay.roots === null
    case 'diff':
      return overlay.patch === null
    case 'compare':
      return overlay.costs === null
    case undefined: {
      const tab = shownTab(state)
      return tab === null ? state.sessions.loading || state.sessions.searching : tab.transcript.loading
    }
    default:
      return false
  }
}

/** A turn is running and asks nothing. */
export function isWorking(state: TuiState): boolean {
  return state.overlays.length === 0 && (shownTab(state)?.run.state ?? 'idle') !== 'idle'
}
