// Finds the words of the commands in a line of POSIX shell, with the place of each: enough to take words out of one call, or put
// some in, and leave every other byte as the person wrote it. Nothing is expanded or run; what is not understood is no word.
import { type ShellWord, scanCommands } from './shell-scan.ts'

export type { ShellWord } from './shell-scan.ts'

/** One call of a program: the word that names it and the words behind it, redirections left out. */
export interface ShellCall {
  readonly program: ShellWord
  readonly args: readonly ShellWord[]
}

/** Programs that run another one given behind them. `echo claude` is no call of claude, `nohup claude` is. */
const wrappers = new Set(
  (
    'env exec command nohup time nice ionice timeout setsid stdbuf sudo doas caffeinate chronic unbuffer npx bunx pnpm yarn npm ' +
    'bun mise asdf direnv dotenv op doppler proxychains proxychains4 firejail systemd-run'
  ).split(' '),
)

/** Every call of a program in the line, those in `$(...)` and subshells too. `isProgram` is asked with the name without its folder. */
export function findCalls(line: string, isProgram: (name: string) => boolean): ShellCall[] {
  return scanCommands(line).flatMap((words) => {
    const at = programAt(words, isProgram)
    const program = words[at]
    return program === undefined ? [] : [{ program, args: words.slice(at + 1) }]
  })
}

function programAt(words: readonly ShellWord[], isProgram: (name: string) => boolean): number {
  const first = words.findIndex((word) => !isAssignment(word))
  const word = words[first]
  if (word === undefined) return -1
  if (isProgram(nameOf(word))) return first
  if (!wrappers.has(nameOf(word))) return -1
  return words.findIndex((one, at) => at > first && !isAssignment(one) && isProgram(nameOf(one)))
}

function nameOf({ text }: ShellWord): string {
  // A scope is part of a package's name: `npx @anthropic-ai/claude-code`.
  return /^@[^/]+\/[^/]+$/.test(text) ? text : text.slice(text.lastIndexOf('/') + 1)
}

function isAssignment({ text }: ShellWord): boolean {
  return /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(text)
}

/** The line without these words and the blanks before each; everything else byte for byte. */
export function cutWords(line: string, words: Iterable<ShellWord>): string {
  return changeWords(line, new Map([...words].map((word) => [word, null])))
}

/** Each word becomes the text given (written as the shell takes it), or goes with the blanks before it (`null`). */
export function changeWords(line: string, changes: ReadonlyMap<ShellWord, string | null>): string {
  let rest = line
  const fromTheEnd = [...changes].sort(([a], [b]) => b.start - a.start)
  for (const [{ start, end }, text] of fromTheEnd) {
    const from = text === null ? gapBefore(rest, start) : start
    rest = rest.slice(0, from) + (text === null ? '' : quoteWord(text)) + rest.slice(end)
  }
  return rest
}

/** Blanks and continued lines: what stands between the words of one command. */
function gapBefore(line: string, start: number): number {
  let at = start
  for (;;) {
    if (/[ \t]/.test(line.charAt(at - 1))) at -= 1
    else if (line.slice(at - 2, at) === '\\\n') at -= 2
    else return at
  }
}

/** The line with `text` put in behind a word, a blank between. */
export function insertAfter(line: string, word: ShellWord, text: string): string {
  return text === '' ? line : `${line.slice(0, word.end)} ${text}${line.slice(word.end)}`
}

/** One word that every shell takes as exactly this text. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('=') ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
