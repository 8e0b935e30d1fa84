// The one line an agent's shell runs for us. It prints nothing and exits 0 whatever happens: also when offshoot or its Node is
// gone, since settings outlive programs. Written for every shell (Codex takes $SHELL, be it fish): all logic is in /bin/sh.
import type { HookCommand } from './hooks.ts'

/**
 * What install found, so that uninstall leaves just that: `new` no file, `blank` a file without content, `object` an empty
 * "hooks", `array` an empty list for the event. Kept in the command: it is the one place every agent leaves alone.
 */
export type FoundMark = 'new' | 'blank' | 'object' | 'array' | 'other'

const marks: readonly FoundMark[] = ['new', 'blank', 'object', 'array', 'other']
const script = '[ -n "$OFFSHOOT_INTERNAL" ] || [ ! -x "$0" ] || [ ! -f "$1" ] || "$0" "$@" >/dev/null 2>&1; exit 0'
const ours = /^\/bin\/sh -c ': offshoot hook ([a-z]+);/

export function hookLine({ argv }: HookCommand, agent: string, found: FoundMark): string {
  const words = [...argv, agent].map(quoteWord).join(' ')
  return `/bin/sh -c ${quoteWord(`: offshoot hook ${found}; ${script}`)} ${words}`
}

/** What our line says it found when it was put there; `null` when the line is not ours. */
export function foundMark(line: string): FoundMark | null {
  const [, word] = ours.exec(line) ?? []
  if (word === undefined) return null
  return marks.find((mark) => mark === word) ?? 'other'
}

/** One word in sh, bash, zsh and fish alike: fish alone takes a backslash within quotes for more than itself. */
export function quoteWord(word: string): string {
  if (/^[\w/.:=@%+,-]+$/.test(word)) return word
  return `'${word.replace(/['\\]/g, (character) => `'\\${character}'`)}'`
}
