// Code in colours: comments, strings, numbers and the words most languages share. One pass of one pattern per line, with what
// spans lines (block comments, template strings) carried along; diffs by their first character.
import type { Paint } from '../draw.ts'

const words = new Set(
  (
    'abstract as async await break case catch class const continue def default defer del do elif else end enum export extends ' +
    'false final finally fn for foreach from func function go if impl implements import in instanceof interface is lambda let ' +
    'match mod module mut namespace new nil none not null of or package pass private protected pub public raise readonly return ' +
    'self static struct super switch then this throw trait true try type typeof undefined union unless until use using var void ' +
    'where while with yield None True False fi done echo'
  ).split(' '),
)

interface Language {
  readonly line: readonly string[]
  readonly block: readonly [string, string] | null
}

const cLike: Language = { line: ['//'], block: ['/*', '*/'] }
const hashLike: Language = { line: ['#'], block: null }
const languages: Readonly<Record<string, Language>> = {
  py: hashLike,
  python: hashLike,
  sh: hashLike,
  bash: hashLike,
  zsh: hashLike,
  shell: hashLike,
  console: hashLike,
  yaml: hashLike,
  yml: hashLike,
  toml: hashLike,
  ruby: hashLike,
  rb: hashLike,
  make: hashLike,
  dockerfile: hashLike,
  sql: { line: ['--'], block: ['/*', '*/'] },
  lua: { line: ['--'], block: null },
  html: { line: [], block: ['<!--', '-->'] },
  xml: { line: [], block: ['<!--', '-->'] },
  css: { line: [], block: ['/*', '*/'] },
  json: { line: [], block: null },
  text: { line: [], block: null },
  txt: { line: [], block: null },
  md: { line: [], block: null },
}

const longest = 2000

export function highlight(lines: readonly string[], language: string, paint: Paint): string[] {
  const name = language.toLowerCase()
  if (name === 'diff' || name === 'patch') return lines.map((line) => styleDiff(line, paint))
  if (name === 'text' || name === 'txt' || name === 'md') return [...lines]
  const rules = languages[name] ?? cLike
  let inBlock = false
  return lines.map((line) => {
    // Nobody reads a line of minified code by its colours.
    if (line.length > longest) return line
    const [styled, open] = styleLine(line, rules, inBlock, paint)
    inBlock = open
    return styled
  })
}

export function styleDiff(line: string, paint: Paint): string {
  if (/^(\+\+\+|---|diff |index |rename |new file|deleted file|similarity )/.test(line)) return paint.bold(line)
  if (line.startsWith('@@')) return paint.accent(line)
  if (line.startsWith('+')) return paint.added(line)
  if (line.startsWith('-')) return paint.removed(line)
  return line
}

const token = /("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`(?:\\.|[^`\\])*`?)|([A-Za-z_]\w*)|(\d[\w.]*)|(\s+|.)/gu

function styleLine(line: string, { line: marks, block }: Language, inBlock: boolean, paint: Paint): [string, boolean] {
  if (inBlock && block !== null) {
    const end = line.indexOf(block[1])
    if (end === -1) return [paint.comment(line), true]
    const cut = end + block[1].length
    const [rest, open] = styleLine(line.slice(cut), { line: marks, block }, false, paint)
    return [paint.comment(line.slice(0, cut)) + rest, open]
  }
  let styled = ''
  for (const match of line.matchAll(token)) {
    const at = match.index
    // Behind a blank or at the start: `http://` is none.
    if (/^$|[\s;{}()]/.test(line[at - 1] ?? '') && marks.some((mark) => line.startsWith(mark, at)))
      return [styled + paint.comment(line.slice(at)), false]
    if (block !== null && line.startsWith(block[0], at)) {
      const [rest, open] = styleLine(line.slice(at + block[0].length), { line: marks, block }, true, paint)
      return [styled + paint.comment(block[0]) + rest, open]
    }
    const [whole, text, word] = match
    if (text !== undefined) styled += paint.string(text)
    else if (word !== undefined && words.has(word)) styled += paint.keyword(word)
    else styled += whole
  }
  return [styled, false]
}
