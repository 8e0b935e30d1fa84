// The words of the plain mode, in one table: what is typed in place of keys. What is no word of it is a prompt, a search or an answer.
import type { ActionId } from '../keys.ts'

interface PlainWord {
  readonly word: string
  readonly note: string
  /** What may follow it; with a question mark it need not. `text?` is one word. */
  readonly takes?: 'number' | 'number?' | 'text' | 'text?' | 'line?'
  /** The action of the key table it stands for. */
  readonly action?: ActionId
}

export const plainWords = [
  { word: 'help', note: 'these words' },
  { word: 'again', note: 'read out where you are once more' },
  { word: 'sessions', note: 'the list of sessions' },
  { word: 'search', note: 'search the sessions by what you want to do', takes: 'text' },
  { word: 'agent', note: 'list Claude, Codex or both', action: 'filter_agent' },
  { word: 'scope', note: 'list this repository or all', action: 'filter_scope' },
  { word: 'refresh', note: 'look for sessions again', action: 'refresh' },
  { word: 'more', note: 'read on in a long list' },
  { word: 'open', note: 'open the session with this number', takes: 'number' },
  { word: 'tabs', note: 'the sessions that are open' },
  { word: 'tab', note: 'go to the open session with this number', takes: 'number' },
  { word: 'close', note: 'close this session', action: 'close_tab' },
  { word: 'show', note: 'read the last turns, one unless you say how many', takes: 'number?' },
  { word: 'tools', note: 'read the tool calls of the last turn with what they printed' },
  { word: 'earlier', note: 'read in earlier turns of a long session' },
  { word: 'back', note: 'step back: choose the message to fork at' },
  { word: 'fork', note: 'fork this session at its end, or the one with this number', takes: 'number?' },
  { word: 'tree', note: 'the tree of forks', action: 'tree' },
  { word: 'compare', note: 'in the tree: compare the code of two sessions, as in /compare 1 2', takes: 'text' },
  { word: 'workers', note: 'running agents', action: 'workers' },
  { word: 'diff', note: 'what the last turn changed', action: 'diff' },
  { word: 'restore', note: 'bring back the code of a turn, as in /restore 3', takes: 'text?' },
  { word: 'label', note: 'what you call this session, as in /label the fast one', takes: 'line?' },
  { word: 'model', note: 'which model the next turns use, or set it, as in /model sonnet', takes: 'line?' },
  { word: 'cli', note: "open this session in the agent's own UI", action: 'open_in_cli' },
  { word: 'address', note: 'the address of this session' },
  { word: 'stop', note: 'stop the turn that runs, as Control C does', action: 'stop' },
  { word: 'cancel', note: 'leave a question or a list as it was' },
  { word: 'quit', note: 'leave offshoot, as Control D does', action: 'quit' },
] as const satisfies readonly PlainWord[]

export type Word = (typeof plainWords)[number]['word']

export interface Spoken {
  readonly word: Word
  readonly number: number | null
  readonly text: string
  readonly action: ActionId | null
}

/** `null`: not a word of ours, or followed by what it does not take: `explainWord` says which. */
export function parseWord(line: string): Spoken | null {
  const [, name = '', text = ''] = /^\/(\w+)(?:[ \t]+(.*))?$/u.exec(line.trim()) ?? []
  const known: (PlainWord & { readonly word: Word }) | undefined = plainWords.find(({ word }) => word === name)
  if (known === undefined) return null
  const rest = text.trim()
  const number = /^\d{1,6}$/.test(rest) ? Number(rest) : null
  const fits = {
    none: rest === '',
    number: number !== null,
    'number?': number !== null || rest === '',
    text: rest !== '',
    'text?': !/\s/.test(rest),
    'line?': true,
  }[known.takes ?? 'none']
  return fits ? { word: known.word, number, text: rest, action: known.action ?? null } : null
}

const uses = {
  none: 'takes nothing',
  number: 'needs a number',
  'number?': 'takes a number or nothing',
  text: 'needs a word',
  'text?': 'takes one word or nothing',
  'line?': 'takes one line or nothing',
}

/** What is wrong with a line that `parseWord` does not know: a word of ours used wrongly, or a lone `/word` that is not ours. Else `null`. */
export function explainWord(line: string): string | null {
  const [, name = '', behind = ''] = /^\/(\w+)(?:\s+(.*))?$/su.exec(line) ?? []
  const same: PlainWord | undefined = plainWords.find(({ word }) => word === name)
  if (same !== undefined) return `/${name} ${uses[same.takes ?? 'none']} behind it: ${same.note}.`
  if (name === '' || behind.trim() !== '') return null
  const near = plainWords.find(({ word }) => word.startsWith(name.slice(0, 2)))?.word
  return `/${name} is no word of offshoot's.${near === undefined ? '' : ` Did you mean /${near}?`}`
}
