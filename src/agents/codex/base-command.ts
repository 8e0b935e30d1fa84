// A command of the person's own that calls Codex, e.g. `cd x && codex -m o3 resume --last | tee log`: what names a session in it is
// found, taken out, and put in; all else stays byte for byte as they wrote it (WK3).
import { changeWords, findCalls, insertAfter, quoteWord, type ShellCall, type ShellWord } from '../../lib/shell-words.ts'
import { AppError } from '../../model/error.ts'
import type { ConversationRequest } from '../runs.ts'

/** Flags with a value behind them (0.142 to 0.166); `-i` takes every word up to the next flag. */
const valued = new Set(
  (
    '-c --config -m --model -p --profile -s --sandbox -a --ask-for-approval -C --cd --add-dir --local-provider --enable --disable ' +
    '--remote --remote-auth-token-env --output-schema -o --output-last-message --color'
  ).split(' '),
)
const greedy = new Set(['-i', '--image'])

/** Of `resume` and `fork`: which session is meant. */
const choosing = new Set(['--last', '--all', '--include-non-interactive'])

/** Calls of these are about something else than a session, and have words of their own. */
const others = new Set(
  (
    'agents review login logout mcp mcp-server plugin app-server app remote-control completion update doctor sandbox debug execpolicy ' +
    'apply a queue archive delete migrate-rollouts migrate-nfs-db unarchive cloud cloud-tasks responses-api-proxy stdio-to-uds ' +
    'exec-server features help'
  ).split(' '),
)

export function baseCommand(command: string): string {
  const gone = readCalls(command).flatMap(({ naming }) => naming)
  return changeWords(command, new Map(gone.map((word) => [word, null])))
}

export function commandWith(command: string, begin: ConversationRequest['begin']): string {
  const base = baseCommand(command)
  const [call] = readCalls(base)
  if (call === undefined) throw new AppError('usage', `Codex is not called in this command: ${command}`)
  return insertAfter(base, call.place, beginWords(begin).map(quoteWord).join(' '))
}

function beginWords(begin: ConversationRequest['begin']): string[] {
  switch (begin.kind) {
    case 'start':
      return [] // Codex chooses the id
    case 'resume':
      return ['resume', begin.sessionId]
    case 'fork':
      return ['fork', begin.sourceId]
  }
}

interface ReadCall {
  /** The words that name a session, the verb with them. */
  readonly naming: readonly ShellWord[]
  /** Behind this word `resume <id>` can stand. */
  readonly place: ShellWord
}

function readCalls(command: string): ReadCall[] {
  return findCalls(command, isCodex).flatMap((call) => readCall(call) ?? [])
}

function isCodex(name: string): boolean {
  return /^(codex(\.exe)?|@openai\/codex(@.*)?)$/.test(name)
}

function readCall({ program, args }: ShellCall): ReadCall | null {
  const words = sortWords(args)
  const [first, ...rest] = words.filter(({ kind }) => kind === 'plain')
  if (first !== undefined && others.has(first.word.text)) return null
  const isExec = first !== undefined && /^(exec|e)$/.test(first.word.text)
  const [verb, ...targets] = isExec ? rest : first === undefined ? [] : [first, ...rest]
  const place = isExec ? lastFlagOf(words, first.word) : program
  if (verb === undefined || !isVerb(verb.word.text)) return { naming: [], place }
  const behind = words.slice(words.indexOf(verb) + 1)
  const chosen = behind.filter(({ kind, word }) => kind === 'flag' && choosing.has(word.text)).map(({ word }) => word)
  const isLast = chosen.some(({ text }) => text === '--last')
  // With `--last` the session is named, and what follows is the prompt.
  const target = isLast ? undefined : (targets[0] ?? behind.find(({ kind }) => kind === 'prompt'))
  const naming = [verb.word, ...chosen, ...(target === undefined ? [] : [target.word])]
  return { naming, place }
}

function isVerb(text: string): boolean {
  return text === 'resume' || text === 'fork'
}

interface SortedWord {
  /** `prompt`: behind `--`, where nothing is a flag or a verb. */
  readonly kind: 'flag' | 'value' | 'images' | 'plain' | 'dashes' | 'prompt'
  readonly word: ShellWord
}

function sortWords(args: readonly ShellWord[]): SortedWord[] {
  const sorted: SortedWord[] = []
  let next: SortedWord['kind'] = 'plain'
  for (const word of args) {
    if (next === 'prompt') sorted.push({ kind: 'prompt', word })
    else if (next === 'value') {
      sorted.push({ kind: 'value', word })
      next = 'plain'
    } else if (word.text === '--') {
      sorted.push({ kind: 'dashes', word })
      next = 'prompt'
    } else if (/^-./.test(word.text)) {
      sorted.push({ kind: 'flag', word })
      next = valued.has(word.text) ? 'value' : greedy.has(word.text) ? 'images' : 'plain'
    } else sorted.push({ kind: next, word })
  }
  return sorted
}

/**
 * `exec resume` does not take all flags of `exec`, so it stands behind them; but before `-i`, which would take it for a picture.
 */
function lastFlagOf(words: readonly SortedWord[], exec: ShellWord): ShellWord {
  let place = exec
  for (const { kind, word } of words.slice(words.findIndex((one) => one.word === exec) + 1)) {
    if (kind === 'plain' || kind === 'dashes' || greedy.has(word.text)) break
    place = word
  }
  return place
}
