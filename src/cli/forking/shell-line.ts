// A command as a line one can paste into a shell, whatever its words hold. POSIX quoting, which fish understands too; only
// where a word holds control characters it is that of bash, zsh and newer shells.
import { hasUnsafe } from '../../lib/clean-text.ts'
import { quoteWord } from '../../lib/shell-words.ts'
import type { CommandSpec } from '../../model/fork.ts'

export function shellLine({ argv, cwd, env }: CommandSpec): string {
  const set = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  return `cd ${quote(cwd)} && ${[...set, ...argv.map(quote)].join(' ')}`
}

/** Bytes of control characters are written out: a line to copy must not do anything by being shown. */
function quote(word: string): string {
  if (!hasUnsafe(word)) return quoteWord(word)
  const characters = [...word].map((each) => (hasUnsafe(each) || each === "'" || each === '\\' ? bytesOf(each) : each))
  return `$'${characters.join('')}'`
}

function bytesOf(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
