// Several secrets behind one name: `API_KEYS=a,b`, `"passwords": ["a", "b"]`, lists of YAML. They are replaced together.
import { closing, lineEnd, newLine, pattern } from './patterns.ts'
import { fieldSigns, pluralName, type } from './place-fields.ts'
import type { Rule } from './scan.ts'
import { looksIssued, looksTold } from './values.ts'

const quotedItem = '(?:[bu]?"[^"\\s\\\\]{4,300}"|[bu]?\'[^\'\\s\\\\]{4,300}\')'
const separator = '\\s{0,2},\\s{0,20}'
const plainItem = '["\']?[^\\s"\'`,;:<>(){}\\[\\]$\\\\|&]{6,300}["\']?'
const dash = `${newLine}[ \\t]{0,20}-[ \\t]{1,4}`

const listOf = (source: string): Rule => ({
  kind: 'secret',
  signs: [...fieldSigns, 'token'],
  name: pluralName,
  pattern: pattern(source, 'i'),
  accept: areSecrets,
})

export const lists: readonly Rule[] = [
  listOf(
    `(?<before>${closing}${type}\\s{0,4}(?:=>|:=|[:=])\\s{0,4}(?:\\[\\]\\w{1,10})?[\\[({]\\s{0,20})${quotedItem}(?:${separator}${quotedItem}){0,40}`,
  ),
  listOf(
    `(?<before>${closing}\\s{0,2}(?::?=|:)[ \\t]{0,2})(?:"[^"\\n\\\\]{8,4000}"|'[^'\\n\\\\]{8,4000}'|(?=(?<list>(?:[^\\s"'\`:;=<>(){}\\[\\]$\\\\|&]|=(?=[=,\\s]|$)){8,4000}))\\k<list>(?![(\\[]))`,
  ),
  listOf(`(?<before>${closing}:[ \\t]{0,4}${dash})${plainItem}(?:${dash}${plainItem}){0,40}${lineEnd}`),
]

/** Tokens of models and languages are listed too, so most of the items must look like secrets. */
function areSecrets(list: string, before: string): boolean {
  // Enough to judge it by, however long it is.
  const items = list
    .slice(0, 400)
    .split(/["'\s,;]+/)
    .filter((item) => item.length > 3)
  const isSecret = /token/i.test(before) ? looksIssued : looksTold
  // `countTokens = module_r50k.countTokens`
  if (items.length === 1 && list.includes('.') && /[a-z]/.test(before)) return false
  return items.length > 0 && items.filter((item) => isSecret(item)).length * 2 >= items.length
}
