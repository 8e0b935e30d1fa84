// A command of the person's own that calls Claude Code, e.g. `cd x && FOO="a b" claude --model opus -c | tee log`: what names a
// session in it is found, taken out, and put in; all else stays byte for byte as they wrote it (WK3).
import { changeWords, findCalls, insertAfter, quoteWord, type ShellCall, type ShellWord } from '../../lib/shell-words.ts'
import { AppError } from '../../model/error.ts'
import type { ConversationRequest } from '../runs.ts'
import { beginFlags } from './headless-flags.ts'

/** How many words behind it belong to a flag: `one` whatever it looks like, `maybe` unless it looks like a flag (commander). */
type Takes = 'none' | 'one' | 'maybe'

const sessionFlags: Readonly<Record<string, Takes>> = {
  '--session-id': 'one',
  '--resume': 'maybe',
  '-r': 'maybe',
  '--continue': 'none',
  '-c': 'none',
  '--fork-session': 'none',
  '--resume-session-at': 'one',
}

const otherFlags = new Map<string, Takes>([
  ...takes(
    'one',
    '--add-dir --agent --agents --allowedTools --allowed-tools --append-system-prompt --append-system-prompt-file --autocompact ' +
      '--betas --debug-file --disallowedTools --disallowed-tools --effort --environment --fallback-model --file --input-format ' +
      '--json-schema --managed-settings --max-budget-usd --max-turns --mcp-config --model --name -n --output-format ' +
      '--parent-session-id --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir --plugin-url --prefill ' +
      '--project-config-root --remote-control-session-name-prefix --resume-drops-turn --rewind-files --setting-sources --settings ' +
      '--system-prompt --system-prompt-file --system-prompt-snapshot --tools',
  ),
  ...takes('maybe', '--cloud --debug -d --from-pr --prompt-suggestions --remote-control --teleport --worktree -w'),
])

/** Calls of these are about something else than a session, and have flags of their own. */
const subcommands = new Set(
  (
    'agents attach auth auto-mode config doctor gateway import install kill logs mcp migrate-installer plugin plugins purge respawn ' +
    'rm setup-token stop ultrareview update upgrade'
  ).split(' '),
)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function baseCommand(command: string): string {
  const changes = new Map<ShellWord, string | null>()
  for (const { kept } of readCalls(command)) for (const [word, text] of kept) changes.set(word, text)
  return changeWords(command, changes)
}

/** What a variable stands for nobody can know beforehand. */
export function sessionIdIn(command: string): string | null {
  const own = readCalls(command)[0]?.named.get('--session-id')
  return own != null && uuid.test(own) ? own : null
}

export function commandWith(command: string, begin: ConversationRequest['begin']): string {
  const base = baseCommand(command)
  const [call] = readCalls(base)
  if (call === undefined) throw new AppError('usage', `Claude Code is not called in this command: ${command}`)
  return insertAfter(base, call.program, beginFlags(begin).map(quoteWord).join(' '))
}

interface ReadCall {
  readonly program: ShellWord
  /** Session flags and their values; `null` where the value is not known or there is none. */
  readonly named: ReadonlyMap<string, string | null>
  /** What becomes of the words that name a session: gone, or (of `-pc`) `-p`. */
  readonly kept: ReadonlyMap<ShellWord, string | null>
}

function readCalls(command: string): ReadCall[] {
  return findCalls(command, isClaude).flatMap((call) => readCall(call) ?? [])
}

function isClaude(name: string): boolean {
  return /^(claude(\.exe)?|@anthropic-ai\/claude-code(@.*)?)$/.test(name)
}

function readCall({ program, args }: ShellCall): ReadCall | null {
  const named = new Map<string, string | null>()
  const kept = new Map<ShellWord, string | null>()
  let isFirst = true
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]
    if (word === undefined || word.text === '--') break
    if (!isFlag(word.text)) {
      if (isFirst && subcommands.has(word.text)) return null
      isFirst = false
      continue
    }
    const { flags, rest } = readWord(word.text)
    const last = flags.at(-1)
    const next = last === undefined || last.value !== null ? undefined : valueBehind(last.takes, args[at + 1])
    if (next !== undefined) at += 1
    for (const flag of flags) {
      if (!(flag.name in sessionFlags)) continue
      const value = flag.value ?? (flag === last ? next?.text : null) ?? null
      named.set(flag.name, word.isLiteral && (next?.isLiteral ?? true) ? value : null)
      kept.set(word, rest)
      if (flag === last && next !== undefined) kept.set(next, null)
    }
  }
  return { program, named, kept }
}

function isFlag(text: string): boolean {
  return text.startsWith('-') && text !== '-'
}

function valueBehind(takes: Takes, next: ShellWord | undefined): ShellWord | undefined {
  return next !== undefined && (takes === 'one' || (takes === 'maybe' && !isFlag(next.text))) ? next : undefined
}

interface Flag {
  readonly name: string
  readonly takes: Takes
  /** Written in the same word. */
  readonly value: string | null
}

/** The flags of one word (`-pc` is two) and the word without those that name a session: `null` when nothing is left. */
function readWord(text: string): { readonly flags: readonly Flag[]; readonly rest: string | null } {
  if (text.startsWith('--')) {
    const equals = text.indexOf('=')
    const name = equals === -1 ? text : text.slice(0, equals)
    const flag = { name, takes: takesOf(name), value: equals === -1 ? null : text.slice(equals + 1) }
    return { flags: [flag], rest: null }
  }
  const flags: Flag[] = []
  let rest = ''
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text.charAt(at)}`
    const takes = takesOf(name)
    const value = takes !== 'none' && at + 1 < text.length ? text.slice(at + 1).replace(/^=/, '') : null
    flags.push({ name, takes, value })
    if (!(name in sessionFlags)) rest += value === null ? name.slice(1) : text.slice(at)
    if (value !== null) break
  }
  return { flags, rest: rest === '' ? null : `-${rest}` }
}

function takesOf(name: string): Takes {
  return sessionFlags[name] ?? otherFlags.get(name) ?? 'none'
}

function takes(how: Takes, names: string): [string, Takes][] {
  return names.split(' ').map((name) => [name, how])
}
