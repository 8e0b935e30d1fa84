// A command as a line one can paste into a shell, whatever its words hold. POSIX quoting, which fish understands too.
import type { CommandSpec } from '../../model/fork.ts'

export function shellLine({ argv, cwd, env }: CommandSpec): string {
  const set = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  return `cd ${quote(cwd)} && ${[...set, ...argv.map(quote)].join(' ')}`
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
