// Diffs as git shows them: coloured lines, and the table of `--stat`.

import { cleanLine } from '../../lib/text/clean.ts'
import { count } from '../../lib/text/count.ts'
import { cutToWidth, padToWidth, widthOf } from '../../lib/text/width.ts'
import type { CodeDiff, FileChange } from '../../model/capture.ts'
import type { Colors } from '../output.ts'

const widest = 80
const longestBar = 40

const headings = [
  'diff ',
  'index ',
  '--- ',
  '+++ ',
  'new file',
  'deleted file',
  'old mode',
  'new mode',
  'similarity',
  'rename ',
  'Binary ',
]

export function paintPatch(line: string, { bold, cyan, green, red }: Colors): string {
  if (headings.some((heading) => line.startsWith(heading))) return bold(line)
  if (line.startsWith('@@')) return line.replace(/^@@.*?@@/, (mark) => cyan(mark))
  if (line.startsWith('+')) return green(line)
  return line.startsWith('-') ? red(line) : line
}

export function formatStat({ files, added, removed }: CodeDiff, colors: Colors, columns: number): string[] {
  const width = Math.min(columns, widest)
  const names = files.map(nameOf)
  const nameWidth = Math.min(Math.max(0, ...names.map(widthOf)), Math.max(20, width - longestBar))
  const counts = files.map((file) => (file.added === null || file.removed === null ? 'Bin' : String(file.added + file.removed)))
  const countWidth = Math.max(0, ...counts.map(({ length }) => length))
  const most = Math.max(1, ...files.map((file) => (file.added ?? 0) + (file.removed ?? 0)))
  const bits = files.some(({ executable }) => executable !== undefined) ? ' mode +x'.length : 0
  const room = Math.max(4, Math.min(longestBar, width - nameWidth - countWidth - 5 - bits))
  const lines = files.map((file, at) => {
    const name = padToWidth(cutToWidth(names[at] ?? '', nameWidth), nameWidth)
    const bar = barOf(file, most, room, colors)
    return ` ${name} | ${(counts[at] ?? '').padStart(countWidth)} ${bar}${sayBit(file, bar !== '')}`.trimEnd()
  })
  return files.length === 0 ? [] : [...lines, ` ${summarise(files.length, added, removed)}`]
}

function nameOf({ path, from }: FileChange): string {
  return cleanLine(from === undefined ? path : `${from} => ${path}`)
}

/** A change of mode has no lines: without a word it would look like nothing. */
function sayBit({ executable }: FileChange, after: boolean): string {
  if (executable === undefined) return ''
  return `${after ? ' ' : ''}mode ${executable ? '+x' : '-x'}`
}

/** At least one mark for a side that has a line. */
function barOf({ added, removed }: FileChange, most: number, room: number, { green, red }: Colors): string {
  const scale = most > room ? room / most : 1
  const marks = (count: number | null) => (count ? Math.max(1, Math.round(count * scale)) : 0)
  return green('+'.repeat(marks(added))) + red('-'.repeat(marks(removed)))
}

function summarise(files: number, added: number, removed: number): string {
  const parts = [`${count(files, 'file')} changed`]
  if (added > 0) parts.push(`${count(added, 'insertion')}(+)`)
  if (removed > 0) parts.push(`${count(removed, 'deletion')}(-)`)
  return parts.join(', ')
}
