// The records of Claude Code's edit tools (2.1.197 and 2.1.325) as neutral edits. A call that failed changed nothing; one whose
// result is missing may have changed anything.
import { isObject } from '../../lib/jsonl.ts'
import { systemText } from '../../lib/system-text.ts'
import type { ToolCall } from '../../model/session.ts'
import type { RecordedEdit } from '../recorded-edits.ts'

export const editTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

export interface EditResult {
  readonly failed: boolean
  /** `toolUseResult` of the result's line. */
  readonly record: Record<string, unknown>
}

type Edit = Omit<RecordedEdit, 'turnId'>
type Replacement = NonNullable<RecordedEdit['replacements']>[number]

/** `none` when nothing was changed; the tool's name when it cannot be told what was. */
export function editOf(call: ToolCall, result: EditResult | undefined): Edit | string {
  if (result?.failed) return 'none'
  if (result === undefined) return call.name
  const args = isObject(call.arguments) ? call.arguments : {}
  const path = systemText(textOf(result.record.filePath) ?? textOf(args.file_path) ?? textOf(args.notebook_path))
  if (path === null) return call.name
  const edit = call.name === 'Write' ? writeOf(path, args, result) : call.name === 'NotebookEdit' ? cellOf(path, result) : null
  return edit ?? replaceOf(path, args, result) ?? call.name
}

function writeOf(path: string, args: Record<string, unknown>, { record }: EditResult): Edit | null {
  const after = textOf(record.content) ?? textOf(args.content)
  if (after === null) return null
  const before = textOf(record.originalFile)
  if (record.type === 'create') return { path, kind: 'write', before: null, after }
  return { path, kind: 'write', ...(before === null ? {} : { before }), after }
}

function cellOf(path: string, { record }: EditResult): Edit | null {
  const after = textOf(record.updated_file)
  const before = textOf(record.original_file)
  return after === null || before === null ? null : { path, kind: 'edit', before, after }
}

/** `structuredPatch` is made to be shown (tabs become blanks), so that the texts replaced are taken instead. */
function replaceOf(path: string, args: Record<string, unknown>, { record }: EditResult): Edit | null {
  const replacements = replacementsOf(args, record)
  if (replacements === null || record.userModified === true) return null
  const before = textOf(record.originalFile) ?? textOf(record.originalFileContents)
  // An empty text to look for makes a new file, or fills an empty one.
  if (replacements.length === 1 && replacements[0]?.old === '') {
    return { path, kind: 'write', before: before === null || before === '' ? before : null, after: replacements[0].new }
  }
  if (before === null) return replacements.some((each) => each.new === '') ? null : { path, kind: 'edit', replacements }
  const after = replacements.reduce<string | null>((text, each) => (text === null ? null : replaceAsClaude(text, each)), before)
  return after === null || !fitsPatch(before, after, record.structuredPatch) ? null : { path, kind: 'edit', before, after }
}

/** The CLI takes the line break along when a text at the end of a line is removed. */
function replaceAsClaude(text: string, { old, new: fresh, all }: Replacement): string | null {
  const wanted = fresh === '' && !old.endsWith('\n') && text.includes(`${old}\n`) ? `${old}\n` : old
  if (!text.includes(wanted)) return null
  return all ? text.replaceAll(wanted, () => fresh) : text.replace(wanted, () => fresh)
}

/** The shown patch is not exact in blanks, but in the number of lines it is. */
function fitsPatch(before: string, after: string, patch: unknown): boolean {
  if (!Array.isArray(patch)) return true
  const grown = patch.reduce<number>((sum, hunk) => {
    const lines: unknown[] = isObject(hunk) && Array.isArray(hunk.lines) ? hunk.lines : []
    return (
      sum +
      lines.filter((line) => String(line).startsWith('+')).length -
      lines.filter((line) => String(line).startsWith('-')).length
    )
  }, 0)
  return grown === lineCount(after) - lineCount(before)
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

function replacementsOf(args: Record<string, unknown>, record: Record<string, unknown>): Replacement[] | null {
  const list = Array.isArray(record.edits) ? record.edits : Array.isArray(args.edits) ? args.edits : null
  if (list === null) {
    const old = textOf(record.oldString) ?? textOf(args.old_string)
    const fresh = textOf(record.newString) ?? textOf(args.new_string)
    return old === null || fresh === null ? null : [{ old, new: fresh, all: (record.replaceAll ?? args.replace_all) === true }]
  }
  const found = list.map((each) => {
    const old = isObject(each) ? textOf(each.old_string) : null
    const fresh = isObject(each) ? textOf(each.new_string) : null
    return old === null || fresh === null ? null : { old, new: fresh, all: isObject(each) && each.replace_all === true }
  })
  return found.every((each) => each !== null) && found.length > 0 ? found : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
