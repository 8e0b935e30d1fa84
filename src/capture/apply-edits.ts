// Does recorded edits again on files in memory, and only what fits to the letter: the content before where it was recorded, each
// replaced text, each line. The first that does not fit ends it.
import type { RecordedEdit } from '../agents/recorded-edits.ts'

/** A file in memory; its bytes, one per character. */
export interface MemoryFile {
  readonly bytes: string
  readonly mode: string
}

export type Files = Map<string, MemoryFile | null>

const plainMode = '100644'

/** Why an edit does not fit; `null` when all of them did, and `files` is as they leave it. `pathOf` gives paths inside the tree. */
export function applyEdits(files: Files, edits: readonly RecordedEdit[], pathOf: (path: string) => string | null): string | null {
  for (const edit of edits) {
    const path = pathOf(edit.path)
    const movedTo = edit.movedTo === undefined ? null : pathOf(edit.movedTo)
    // Not a file of the repository: nothing that belongs to its code.
    if (path === null && movedTo === null) continue
    const problem = path === null ? `${movedTo} was moved in from elsewhere` : applyEdit(files, edit, path, movedTo)
    if (problem !== null) return problem
  }
  return null
}

function applyEdit(files: Files, edit: RecordedEdit, path: string, movedTo: string | null): string | null {
  const file = files.get(path) ?? null
  if (file !== null && !file.mode.startsWith('100')) return `${path} is a link or a submodule`
  const text = file === null ? null : decode(file.bytes)
  const returns = text?.includes('\r\n') ?? false
  if (edit.before === null && file !== null) return `${path} was there already`
  if (typeof edit.before === 'string' && !isSame(text, edit.before)) return `${path} was not what the transcript says it was`
  if (edit.kind === 'delete') {
    if (file === null) return `${path} was not there to be deleted`
    files.set(path, null)
    return null
  }
  // Which of them the tools of Claude Code keep is a matter of counting.
  if (returns && edit.hunks === undefined && edit.kind === 'edit' && /(^|[^\r])\n/.test(text ?? '')) {
    return `${path} has line breaks of two kinds`
  }
  const after = contentAfter(edit, edit.replacements === undefined ? text : (text?.replaceAll('\r\n', '\n') ?? null))
  if (after === null) return `an edit of ${path} does not fit`
  const target = movedTo ?? path
  const there = files.get(target) ?? null
  if (there !== null && !there.mode.startsWith('100')) return `${target} is a link or a submodule`
  if (edit.kind === 'move') {
    if (movedTo === null) return `${path} was moved out of the repository`
    files.set(path, null)
  }
  // Written over, a file is as it was given; edited, it keeps its line breaks (seen with 2.1.197 and 2.1.325).
  const whole =
    returns && edit.kind === 'edit' && edit.hunks === undefined && !after.includes('\r\n')
      ? after.replaceAll('\n', '\r\n')
      : after
  // What is moved is written anew: an executable is none there (seen with Codex).
  files.set(target, { bytes: encode(whole), mode: there?.mode ?? plainMode })
  return null
}

/** Claude Code records texts with plain line breaks, whatever the file has. */
function isSame(text: string | null, recorded: string): boolean {
  return text === recorded || text?.replaceAll('\r\n', '\n') === recorded
}

function contentAfter({ after, hunks, replacements }: RecordedEdit, text: string | null): string | null {
  if (after !== undefined) return after
  if (text === null) return null
  if (hunks !== undefined) return exchangeLines(text, hunks)
  return (replacements ?? []).reduce<string | null>((now, each) => (now === null ? null : replaceText(now, each)), text)
}

function replaceText(text: string, { old, new: fresh, all }: NonNullable<RecordedEdit['replacements']>[number]): string | null {
  const parts = old === '' ? [] : text.split(old)
  return parts.length === 2 || (all && parts.length > 2) ? parts.join(fresh) : null
}

function exchangeLines(text: string, hunks: NonNullable<RecordedEdit['hunks']>): string | null {
  const searches = hunks.some(({ line }) => line === null)
  const lines = (searches && text !== '' && !text.endsWith('\n') ? `${text}\n` : text).split(/(?<=\n)/)
  const result: string[] = []
  let taken = 0
  for (const hunk of hunks) {
    const at = hunk.line === null ? findOnce(lines, hunk.old) : hunk.line - 1
    if (at === null || at < taken || at > lines.length || hunk.old.some((line, i) => lines[at + i] !== line)) return null
    result.push(...lines.slice(taken, at), ...hunk.new)
    taken = at + hunk.old.length
  }
  return [...result, ...lines.slice(taken)].join('')
}

function findOnce(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = lines.flatMap((_, at) => (wanted.every((line, i) => lines[at + i] === line) ? [at] : []))
  return places.length === 1 ? (places[0] ?? null) : null
}

/** `null`: a file that is no UTF-8 is nothing the edit tools could have changed. */
function decode(bytes: string): string | null {
  const buffer = Buffer.from(bytes, 'latin1')
  const text = buffer.toString('utf8')
  return Buffer.from(text, 'utf8').equals(buffer) ? text : null
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
