// The words behind `/` and `:` in the composer. What looks like a command and is none of ours is refused: the agent's own commands
// belong to its own UI, and a slip of the finger would cost a turn.
import { editDistance } from '../../lib/nearest.ts'

export const commandWords = [
  { value: 'fork', note: 'fork this session here' },
  { value: 'tree', note: 'the tree of forks' },
  { value: 'diff', note: 'what the last turn changed' },
  { value: 'restore', note: 'bring back the code of a turn: /restore 3' },
  { value: 'label', note: 'what you call this session: /label the fast one' },
  { value: 'model', note: 'which model the next turns use' },
  { value: 'help', note: 'all keys' },
] as const

export type Command =
  | { readonly kind: 'fork' | 'tree' | 'diff' | 'help' }
  | { readonly kind: 'restore'; readonly turn: string | null }
  | { readonly kind: 'label'; readonly text: string | null }
  | { readonly kind: 'model'; readonly name: string | null }
  | { readonly kind: 'fork_worker'; readonly worker: string; readonly name: string | null }
  | { readonly kind: 'refused'; readonly why: string; readonly hint: string }

const forkUsage = ':fork @worker name'
const forkNeeds = `:fork needs a worker, and takes one name for the fork: ${forkUsage}`
const asItIs = 'A space in front sends it to the agent as it is.'

/** `null`: a prompt. `/usr/bin is full` is one too; what begins with a command of ours never is. */
export function parseCommand(text: string): Command | null {
  const worker = /^:fork\s+@(\S+)(?:\s+(\S+))?\s*$/u.exec(text)
  if (worker !== null) return { kind: 'fork_worker', worker: worker[1] ?? '', name: worker[2] ?? null }
  const colon = /^:(\p{L}[\w-]*)/u.exec(text)?.[1]
  if (colon !== undefined) return { kind: 'refused', why: colon === 'fork' ? forkNeeds : noCommand(':', colon), hint: asItIs }
  const label = /^\/label(?:\s+(.*))?$/su.exec(text)
  if (label !== null) return { kind: 'label', text: label[1]?.trim() || null }
  const model = /^\/model(?:\s+(.*))?$/su.exec(text)
  if (model !== null) return { kind: 'model', name: model[1]?.trim() || null }
  const [, word, behind = ''] = /^\/(\w+)(?:\s+(.*))?$/su.exec(text) ?? []
  if (word === undefined) return null
  const words = behind.split(/\s+/).filter(Boolean)
  switch (word) {
    case 'fork':
    case 'tree':
    case 'diff':
    case 'help':
      return words.length === 0 ? { kind: word } : { kind: 'refused', why: `/${word} takes nothing more: /${word}`, hint: asItIs }
    case 'restore':
      if (words.length > 1) return { kind: 'refused', why: '/restore takes one turn or nothing: /restore 3', hint: asItIs }
      return { kind: 'restore', turn: words[0] ?? null }
    default:
      if (words.length > 1) return null
      return {
        kind: 'refused',
        why: noCommand('/', word),
        hint: `${asItIs} Alt+O opens the agent itself, with its own commands.`,
      }
  }
}

function noCommand(sign: '/' | ':', word: string): string {
  const near =
    commandWords.find(({ value }) => value.startsWith(word.slice(0, 2))) ??
    commandWords.find(({ value }) => value[0] === word[0] && editDistance(word, value) <= 2)
  const meant = sign === ':' && near?.value === 'fork' ? forkUsage : `/${near?.value}`
  return `${sign}${word} is no command of offshoot's.${near === undefined ? '' : ` Did you mean ${meant}?`}`
}
