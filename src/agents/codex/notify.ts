// `notify` of config.toml, for a Codex that has no hooks: one program is told of every finished turn. A program of the person's own
// is wrapped, not replaced: it gets the same argument, at once, and its line is kept as a comment to be put back.
import { parse } from 'smol-toml'
import { AppError } from '../../model/error.ts'
import type { HookCommand } from '../hooks.ts'
import { parseConfig } from './config-file.ts'

/** The words of the script: our Node, our program, then those of the person's own program (none: nothing is run). */
const script =
  ': offshoot notify; n=$1; h=$2; shift 2; for a; do :; done; ' +
  'if [ -z "$OFFSHOOT_INTERNAL" ] && [ -x "$n" ] && [ -f "$h" ]; then "$n" "$h" codex "$a" </dev/null >/dev/null 2>&1 & fi; ' +
  '[ $# -lt 2 ] || exec "$@"'
const kept = '#offshoot# '

export function notifyWords({ argv }: HookCommand, theirs: readonly string[]): string[] {
  return ['/bin/sh', '-c', script, 'offshoot', ...argv, ...theirs]
}

export function readNotify(text: string, file: string): readonly string[] {
  const { notify } = parseConfig(text, file)
  return Array.isArray(notify) ? notify.filter((word) => typeof word === 'string') : []
}

export function isOurNotify(words: readonly string[]): boolean {
  return words[2]?.startsWith(': offshoot notify;') ?? false
}

/** What the person's own program is, also when it is wrapped in ours. */
export function theirNotify(words: readonly string[], ourWords: number): readonly string[] {
  return isOurNotify(words) ? words.slice(4 + ourWords) : words
}

export function addNotify(before: string, file: string, command: HookCommand): string {
  const words = readNotify(before, file)
  const wanted = notifyWords(command, theirNotify(words, command.argv.length))
  if (words.join('\0') === wanted.join('\0')) return before
  const text = isOurNotify(words) ? removeNotify(before, file) : before
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const line = `notify = ${JSON.stringify(wanted)}`
  const span = findAssignment(text)
  if (span === null) return checked(`${line}${newline}${text}`, file, wanted)
  const old = text.slice(span.start, span.end)
  const comment = old
    .split(/(?<=\n)/)
    .map((each) => kept + each)
    .join('')
  return checked(`${text.slice(0, span.start)}${comment}${newline}${line}${text.slice(span.end)}`, file, wanted)
}

export function removeNotify(text: string, file: string): string {
  if (!isOurNotify(readNotify(text, file))) return text
  const lines = text.split(/(?<=\n)/)
  const at = lines.findIndex((line) => line.startsWith('notify = ["/bin/sh"'))
  if (at === -1) {
    throw new AppError('bad_config', `notify in ${file} was rewritten by another program: it cannot be put back.`, {
      hint: 'Edit the line by hand: what follows the path of hook.js is your own program.',
    })
  }
  let first = at
  while (first > 0 && (lines[first - 1] ?? '').startsWith(kept)) first -= 1
  const old = lines
    .slice(first, at)
    .map((line) => line.slice(kept.length))
    .join('')
  const ending = first === at ? '' : (/\r?\n$/.exec(lines[at] ?? '')?.[0] ?? '')
  return [...lines.slice(0, first), old.replace(/\r?\n$/, '') + ending, ...lines.slice(at + 1)].join('')
}

/** Whole lines from `notify =` to the end of its value; `null` when there is none. It stands above all tables. */
function findAssignment(text: string): { start: number; end: number } | null {
  const lines = text.split(/(?<=\n)/)
  let start = 0
  for (const [index, line] of lines.entries()) {
    if (/^\s*\[/.test(line)) return null
    if (/^\s*(notify|"notify"|'notify')\s*=/.test(line)) {
      for (let end = index + 1; end <= lines.length; end++) {
        const piece = lines.slice(index, end).join('')
        if (isWhole(piece)) return { start, end: start + piece.replace(/\r?\n$/, '').length }
      }
      return null
    }
    start += line.length
  }
  return null
}

function isWhole(piece: string): boolean {
  try {
    return 'notify' in parse(piece)
  } catch {
    return false // the value goes on
  }
}

function checked(text: string, file: string, wanted: readonly string[]): string {
  if (readNotify(text, file).join('\0') === wanted.join('\0')) return text
  throw new AppError('bad_config', `notify cannot be changed in ${file} without disturbing the rest.`, {
    hint: 'Edit the file by hand.',
  })
}
