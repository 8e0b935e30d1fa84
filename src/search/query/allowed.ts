// Filters and exclusions as a set of sessions: one byte per session, so that every pass over chunks can ask cheaply.
import type { SearchQuery } from '../../model/search.ts'
import type { FileRow } from '../../store/search-lookup.ts'
import type { Store } from '../../store/store.ts'
import { hiddenIn } from './hidden-turns.ts'
import type { Filters, ParsedQuery } from './parse-query.ts'
import { findPhrase } from './phrase.ts'
import type { View } from './view.ts'

const maxPhrase = 20_000

export interface Allowed {
  /** By session key of the index; `null`: all. */
  readonly sessions: Uint8Array | null
  /** Chunks that have one of the quoted phrases; `null`: nothing was quoted. */
  readonly required: ReadonlySet<number> | null
  /** Where a file was asked for: each session's latest turn that touched it. */
  readonly touched: ReadonlyMap<number, FileRow> | null
}

export function findAllowed(
  store: Store,
  view: View,
  { phrases, excluded }: Pick<ParsedQuery, 'phrases' | 'excluded'>,
  filters: Filters,
  repoId: string | null,
  { among, turnsOf }: Pick<SearchQuery, 'among' | 'turnsOf'> = {},
): Allowed {
  const { lookup } = store.search
  let sessions: Uint8Array | null = null
  const keep = (wanted: (key: number) => boolean) => {
    const before = sessions
    sessions = new Uint8Array(view.sessionsSize)
    for (let key = 0; key < sessions.length; key += 1) {
      if ((before === null || before[key] === 1) && wanted(key)) sessions[key] = 1
    }
  }
  if (among !== undefined) {
    const keys = lookup.keysOf(among)
    keep((key) => keys.has(key))
  }
  const { files, ...metadata } = filters
  if (repoId !== null || Object.keys(metadata).length > 0) {
    const passing = new Set(lookup.sessionsWith({ ...metadata, repoId }))
    // Branch, model, repository and times are those of the complete session: whoever sees only part of it may not ask for them.
    const isOfAll = Object.keys(metadata).some((name) => name !== 'agent')
    const partly = isOfAll && turnsOf !== undefined ? lookup.keysOf(new Set(turnsOf.keys())) : new Set<number>()
    keep((key) => passing.has(key) && !partly.has(key))
  }
  let touched: Map<number, FileRow> | null = null
  for (const file of files) {
    const here = findTouching(store, file, turnsOf)
    touched = inBoth(here, touched)
    keep((key) => here.has(key))
  }
  const required = phrases.length === 0 ? null : new Set<number>()
  for (const phrase of phrases) {
    const having = new Set<number>()
    for (const key of findPhrase(store, view, phrase, maxPhrase)) {
      having.add(view.sessions[key] ?? 0)
      required?.add(key)
    }
    keep((key) => having.has(key))
  }
  for (const phrase of excluded) {
    const having = new Set(findPhrase(store, view, phrase, maxPhrase * 5).map((key) => view.sessions[key] ?? 0))
    keep((key) => !having.has(key))
  }
  return { sessions, required, touched }
}

/** By the whole path, or by its end: `app.ts`, `src/app.ts` and `/home/me/p/src/app.ts` all find the last. */
function findTouching(store: Store, asked: string, turnsOf: SearchQuery['turnsOf']): Map<number, FileRow> {
  const { lookup } = store.search
  const isHidden = hiddenIn(store, turnsOf)
  const path = asked.replace(/^\.\//, '').replace(/\/+$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  const rows = new Map<number, FileRow>()
  for (const row of lookup.filesNamed(name)) {
    if ((row.path !== path && !row.path.endsWith(`/${path}`)) || isHidden(row.sessionKey, row.turnId)) continue
    const known = rows.get(row.sessionKey)
    if (known === undefined || isBetter(row, known)) rows.set(row.sessionKey, row)
  }
  return rows
}

/** An edit before a look, then the later turn. */
function isBetter(row: FileRow, than: FileRow): boolean {
  return row.edited === than.edited ? (row.turnNumber ?? 0) > (than.turnNumber ?? 0) : row.edited > than.edited
}

function inBoth(here: Map<number, FileRow>, before: ReadonlyMap<number, FileRow> | null): Map<number, FileRow> {
  return before === null ? here : new Map([...here].filter(([key]) => before.has(key)))
}
