import { expect, test } from 'vitest'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { forkOverlay, keys, now, plan, press, start, tabOf, withTab } from '../states.testkit.ts'
import { plain } from '../text/wrap-styled.ts'
import { createPaint } from '../theme.ts'
import { draftOf } from '../update/draft.ts'
import { drawFrame } from './frame.ts'

const paint = createPaint('dark', 'none')
const narrow = start({ columns: 60, rows: 16 })
const lines = (state: TuiState) => drawFrame(state, keys, paint).map(({ text }) => plain(text).trimEnd())
/** As one reads it, over the ends of lines. */
const read = (state: TuiState) => lines(state).join(' ').replace(/\s+/g, ' ')
const under = (overlay: Overlay): TuiState => ({ ...narrow, overlays: [overlay] })

test('a notice with what to do is not cut off, and the screen stays as high as it is', () => {
  const text = 'claude could not be started: is it installed and on the PATH?'
  const hint = 'Install it, or choose another agent in the fork dialog.'
  const state = { ...withTab(tabOf({}, 12), narrow), notice: { text, kind: 'error', hint, until: now } as const }
  expect(read(state)).toContain(`${text} ${hint}`)
  expect(lines(state)).toHaveLength(16)
  expect(lines(state).at(-1)).toContain('Esc step back')
  expect(lines(state).join('\n')).toContain('❯ ask Claude')
  const endless = { ...state, notice: { ...state.notice, text: 'word '.repeat(200) } }
  expect(lines(endless).filter((line) => line.startsWith(' word'))).toHaveLength(3)
})

test('no workers: what starts one is said whole', () => {
  expect(read(under({ kind: 'workers', selected: 0 }))).toContain('`offshoot start claude --terminal tmux` starts one.')
})

test('nothing found: what to do next is said once, and by a key that works there', () => {
  const sessions = { ...narrow.sessions, query: draftOf('zzz'), typing: true, results: [] }
  const found = (more: Partial<TuiState['sessions']>) => read({ ...narrow, sessions: { ...sessions, ...more } })
  expect(found({})).toContain(
    'Nothing here is about that. Try other words, or all repositories: Ctrl+P, then This repository or all.',
  )
  expect(found({ notes: ['No session is about this.'] })).toContain('No session is about this. Try other words')
  expect(found({ scope: 'all' })).toMatch(/Try other words\. /)
})

test('Enter before the list is there says so', () => {
  const loading = { ...narrow, sessions: { ...narrow.sessions, items: [], loading: true } }
  expect(press(loading, 'enter').state.notice?.text).toBe('Sessions are still being looked for.')
})

test('a long title leaves room for which choice of the fork one is at', () => {
  const title = 'Fork of 長いタイトル'.repeat(20)
  expect(lines(under(forkOverlay({ plan: { ...plan, title }, selected: 3, forking: true })))[2]).toMatch(
    /^ Fork of .*… +choice 4 of 8 +forking \.\.\.$/,
  )
})

test('a long line that is asked for goes on below itself, marked once', () => {
  const answers = { kind: 'label', session: { agent: 'claude', sessionId: 'one' } } as const
  const asked = under({ kind: 'ask', label: 'Label', draft: draftOf('long '.repeat(20)), answers })
  expect(lines(asked).filter((line) => line.startsWith(' ›'))).toHaveLength(1)
})

test('the first screens one sees are whole', () => {
  const empty = { ...narrow.sessions, items: [] }
  for (const elsewhere of [0, 12]) {
    const shown = lines({ ...narrow, sessions: { ...empty, elsewhere } })
    expect(shown.filter((line) => line.includes('…'))).toEqual([])
    expect(shown.join(' ')).toContain(elsewhere === 0 ? 'what is installed, what is missing' : 'the whole story in a sandbox')
  }
})
