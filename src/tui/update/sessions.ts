// The list of sessions: by time, or by what one looks for as one types.
import { cleanText } from '../../lib/text/clean.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { SearchAnswer } from '../../model/search.ts'
import { agentIds } from '../../model/session.ts'
import type { Effect } from '../effects.ts'
import type { ActionId } from '../keys.ts'
import type { SessionsState, TuiState } from '../state.ts'
import { edit, emptyDraft, insert } from './draft.ts'
import { moveInList, moveOf, type Step, say, stay } from './step.ts'

export function listEffect({ scope, agent }: SessionsState): Effect {
  return { kind: 'list_sessions', scope, agent }
}

/** What is under the cursor: a session, or one that was found with its best turn. */
export function selectedSession({
  items,
  results,
  selected,
}: SessionsState): { session: CatalogSession; turn: string | null } | null {
  if (results === null) {
    const session = items[selected]
    return session === undefined ? null : { session, turn: null }
  }
  const result = results[selected]
  return result === undefined ? null : { session: result.session, turn: result.turn?.id ?? null }
}

function rowCount({ items, results }: SessionsState): number {
  return results?.length ?? items.length
}

/** Rows of the list itself: a session takes one, a result two. */
function listRows(state: TuiState): number {
  const rows = state.size.rows - frameRows - headRows(state.sessions)
  return Math.max(1, state.sessions.results === null ? rows : Math.floor(rows / 2))
}

/** Tabs above, notice and keys below. */
const frameRows = 4
export const mostNotes = 2

/** What stands above the list. */
function headRows({ query, notes }: SessionsState): number {
  return query === null ? 2 : 3 + Math.min(mostNotes, notes.length)
}

/** Nobody asked for it: numbers that were read out (plain mode) must go on meaning what they meant. */
function mustStand({ plain }: TuiState, wasAsked: boolean): boolean {
  return plain && !wasAsked
}

/** What was searched for, unless other words are there by now. It comes again by itself as the index grows. */
export function found(state: TuiState, text: string, { results, notes, index }: SearchAnswer): TuiState {
  const told = { ...state, index }
  if (text !== state.sessions.query?.text) return told
  const isSame =
    results.map(({ session }) => session.id).join() === state.sessions.results?.map(({ session }) => session.id).join()
  const isNews = state.index?.complete === false && !isSame
  if (mustStand(state, state.sessions.searching || isNews)) return told
  return withSessions(told, { results, notes, searching: false, selected: 0, top: 0 })
}

/** The selection stays at its session while others come and go above it. */
export function listed(state: TuiState, items: readonly CatalogSession[], elsewhere: number): TuiState {
  if (mustStand(state, state.sessions.loading)) return state
  const before = state.sessions.items[state.sessions.selected]
  const next = withSessions(state, { items, elsewhere, loading: false })
  if (state.sessions.results !== null) return next
  const at = items.findIndex(({ agent, id }) => agent === before?.agent && id === before.id)
  const place = { selected: at === -1 ? state.sessions.selected : at, top: state.sessions.top }
  return withSessions(next, moveInList(place, items.length, 0, listRows(next)))
}

export function updateSessions(state: TuiState, action: ActionId): Step {
  const { sessions } = state
  const by = moveOf(action, listRows(state), rowCount(sessions))
  if (by !== undefined) return stay(withSessions(state, moveInList(sessions, rowCount(sessions), by, listRows(state))))
  switch (action) {
    case 'search':
      if (sessions.typing) return stay(say(state, 'Type what you are looking for.'))
      return stay(withSessions(state, { query: sessions.query ?? emptyDraft, typing: true }))
    case 'filter_agent': {
      const ring = [null, ...agentIds]
      const agent = ring[(ring.indexOf(sessions.agent) + 1) % ring.length] ?? null
      return again(withSessions(state, { agent, selected: 0, top: 0 }))
    }
    case 'filter_scope':
      if (state.repository === null) return stay(say(state, 'This is no repository: all are listed.'))
      return again(withSessions(state, { scope: sessions.scope === 'all' ? 'repository' : 'all', selected: 0, top: 0 }))
    case 'refresh':
      return again(state)
    default:
      return editQuery(state, action)
  }
}

export function typeInSearch(state: TuiState, text: string): Step {
  const { query } = state.sessions
  return query === null ? stay(state) : ask(withSessions(state, { query: insert(query, cleanText(text).replace(/\s+/g, ' ')) }))
}

/** Without words the list is by time again. */
function ask(state: TuiState): Step {
  const { query, scope, agent } = state.sessions
  const text = query?.text ?? ''
  if (text.trim() === '') return stay(withSessions(state, { results: null, searching: false, notes: [], selected: 0, top: 0 }))
  return stay(withSessions(state, { searching: true }), { kind: 'search', text, scope, agent })
}

function editQuery(state: TuiState, action: ActionId): Step {
  const { query, typing } = state.sessions
  const next = typing && query !== null ? edit(query, action) : null
  if (next === null) return stay(state)
  const changed = withSessions(state, { query: next })
  return next.text === query?.text ? stay(changed) : ask(changed)
}

function again(state: TuiState): Step {
  const asked = ask(withSessions(state, { loading: true }))
  return { state: asked.state, effects: [listEffect(state.sessions), ...asked.effects] }
}

export function withSessions(state: TuiState, change: Partial<SessionsState>): TuiState {
  return { ...state, sessions: { ...state.sessions, ...change } }
}
