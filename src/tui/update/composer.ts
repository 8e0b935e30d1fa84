// What is typed to an agent: several lines, what was sent before, completion of files, commands and workers.
import { cleanText } from '../../lib/text/clean.ts'
import type { Effect } from '../effects.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Completion, Composer, Draft, Tab } from '../state-tab.ts'
import { commandWords } from './commands.ts'
import { draftOf, edit, insert, moveLine } from './draft.ts'
import { changeTab, type Step, say, stay } from './step.ts'

function withDraft(composer: Composer, draft: Draft): Composer {
  return { ...composer, draft, at: null }
}

export function typeInComposer(state: TuiState, tab: Tab, text: string): Step {
  return completing(state, tab, insert(tab.composer.draft, text))
}

/** A paste is text and nothing else: no completion opens, no line is sent, no escape sequence gets in, whatever it holds. */
export function pasteInComposer(state: TuiState, tab: Tab, text: string): Step {
  const clean = cleanText(text)
  const composer = { ...withDraft(tab.composer, insert(tab.composer.draft, clean)), completion: null }
  return stay(changeTab(state, tab.id, (each) => ({ ...each, composer })))
}

export function updateComposer(state: TuiState, tab: Tab, action: ActionId): Step {
  const { composer } = tab
  const put = (next: Composer) => stay(changeTab(state, tab.id, (each) => ({ ...each, composer: next })))
  switch (action) {
    case 'newline':
      return put({ ...withDraft(composer, insert(composer.draft, '\n')), completion: null })
    case 'history_up': {
      const moved = moveLine(composer.draft, -1)
      return moved === null ? recallFrom(state, tab, -1) : put({ ...composer, draft: moved, completion: null })
    }
    case 'history_down': {
      const moved = moveLine(composer.draft, 1)
      return moved === null ? recallFrom(state, tab, 1) : put({ ...composer, draft: moved, completion: null })
    }
    case 'up':
    case 'down': {
      const { completion } = composer
      if (completion === null || completion.choices.length === 0) return stay(state)
      const count = completion.choices.length
      const selected = (completion.selected + (action === 'up' ? count - 1 : 1)) % count
      return put({ ...composer, completion: { ...completion, selected } })
    }
    case 'accept':
      return put(acceptChoice(composer))
    default: {
      const next = edit(composer.draft, action)
      return next === null ? stay(state) : completing(state, tab, next)
    }
  }
}

function recallFrom(state: TuiState, tab: Tab, by: -1 | 1): Step {
  const composer = recall(tab.composer, by)
  if (composer === null) return stay(say(state, by === -1 ? 'Nothing was sent before that.' : 'This is the newest line.'))
  return stay(changeTab(state, tab.id, (each) => ({ ...each, composer: { ...composer, completion: null } })))
}

/** What was sent before, newest first; the person's own draft comes back at the end. `null`: there is no more. */
function recall(composer: Composer, by: -1 | 1): Composer | null {
  const { history, at, kept, draft } = composer
  const next = (at ?? history.length) + by
  if (next < 0 || (at === null && by === 1)) return null
  if (next >= history.length) return { ...composer, at: null, draft: kept }
  return { ...composer, at: next, kept: at === null ? draft : kept, draft: draftOf(history[next] ?? '') }
}

const wordBefore = /(?:^|\s)@([^\s@]*)$/u
const modelWord = /^\/model\s+(\S*)$/u
const forkWord = /^:fork @(\S*)$/u

function completing(state: TuiState, tab: Tab, draft: Draft): Step {
  const before = draft.text.slice(0, draft.cursor)
  const done = (completion: Completion | null, ...effects: Effect[]) =>
    stay(
      changeTab(state, tab.id, (each) => ({ ...each, composer: { ...withDraft(each.composer, draft), completion } })),
      ...effects,
    )
  const worker = forkWord.exec(before)?.[1]
  if (worker !== undefined) {
    const choices = state.workers
      .filter(({ name }) => name.startsWith(worker))
      .map(({ name, agent }) => ({ value: name, note: agent }))
    return done(offer({ kind: 'worker', word: worker, choices, selected: 0 }))
  }
  const model = modelWord.exec(before)?.[1]
  if (model !== undefined)
    return done(
      { kind: 'model', word: model, choices: [], selected: 0 },
      { kind: 'complete_models', tabId: tab.id, agent: tab.agent, word: model },
    )
  if (/^\/\w*$/.test(before)) {
    const choices = commandWords.filter(({ value }) => value.startsWith(before.slice(1)))
    return done(offer({ kind: 'command', word: before.slice(1), choices, selected: 0 }))
  }
  const file = wordBefore.exec(before)?.[1]
  if (file === undefined) return done(null)
  const kept = tab.composer.completion?.kind === 'file' ? tab.composer.completion.choices : []
  return done(
    { kind: 'file', word: file, choices: kept, selected: 0 },
    { kind: 'complete_files', tabId: tab.id, cwd: tab.cwd, word: file },
  )
}

/** Nothing to choose where it is all there already: Enter sends then. */
export function offer(completion: Completion): Completion | null {
  const { choices, word } = completion
  return choices.length === 0 || choices.some(({ value }) => value === word) ? null : completion
}

function acceptChoice(composer: Composer): Composer {
  const { completion, draft } = composer
  const choice = completion?.choices[completion.selected]
  if (completion === null || choice === undefined) return { ...composer, completion: null }
  const start = draft.cursor - completion.word.length
  const text = `${draft.text.slice(0, start)}${choice.value} ${draft.text.slice(draft.cursor)}`
  return { ...withDraft(composer, { text, cursor: start + choice.value.length + 1 }), completion: null }
}
