// The patch language of Codex's apply_patch, as written by the model, read into neutral edits. Only what can be done again
// without guessing is taken: `null` for anything else.
import { resolve } from 'node:path'
import { systemText } from '../../lib/system-text.ts'
import type { RecordedEdit } from '../recorded-edits.ts'

export type PatchEdit = Omit<RecordedEdit, 'turnId'>
type Hunk = NonNullable<RecordedEdit['hunks']>[number]

const fileLine = /^\*\*\* (Add|Delete|Update) File: (.+)$/
const moveLine = /^\*\*\* Move to: (.+)$/

export function parsePatch(text: string, cwd: string): PatchEdit[] | null {
  const lines = text.trim().split('\n')
  if (lines[0]?.trim() !== '*** Begin Patch' || lines.at(-1)?.trim() !== '*** End Patch') return null
  const body = lines.slice(1, -1)
  const edits: PatchEdit[] = []
  for (let at = 0; at < body.length; ) {
    const [, verb, name] = fileLine.exec(body[at] ?? '') ?? []
    if (verb === undefined || name === undefined) return null
    const next = body.findIndex((line, i) => i > at && fileLine.test(line))
    const end = next === -1 ? body.length : next
    const edit = readFile(verb, resolve(cwd, name.trim()), body.slice(at + 1, end), cwd)
    if (edit === null) return null
    edits.push(edit)
    at = end
  }
  return edits.length === 0 || !edits.every(hasPaths) ? null : edits
}

function hasPaths({ path, movedTo = '' }: PatchEdit): boolean {
  return systemText(path) !== null && systemText(movedTo) !== null
}

function readFile(verb: string, path: string, lines: readonly string[], cwd: string): PatchEdit | null {
  if (verb === 'Delete') return lines.length === 0 ? { path, kind: 'delete', after: null } : null
  if (verb === 'Add') {
    if (!lines.every((line) => line.startsWith('+'))) return null
    return { path, kind: 'write', after: lines.map((line) => `${line.slice(1)}\n`).join('') }
  }
  const moved = moveLine.exec(lines[0] ?? '')?.[1]
  const hunks = readHunks(moved === undefined ? lines : lines.slice(1))
  if (hunks === null) return null
  if (moved === undefined) return hunks.length === 0 ? null : { path, kind: 'edit', hunks }
  return { path, kind: 'move', movedTo: resolve(cwd, moved.trim()), hunks }
}

/** Where a hunk has no lines of its own to look for, only Codex knows where it goes. */
function readHunks(lines: readonly string[]): Hunk[] | null {
  const hunks: { line: null; old: string[]; new: string[] }[] = []
  for (const line of lines) {
    if (line.startsWith('@@')) hunks.push({ line: null, old: [], new: [] })
    else if (line === '*** End of File') continue
    else {
      if (hunks.length === 0) hunks.push({ line: null, old: [], new: [] })
      const hunk = hunks.at(-1)
      const mark = line === '' ? ' ' : line.charAt(0)
      const text = `${line.slice(1)}\n`
      if (mark !== ' ' && mark !== '-' && mark !== '+') return null
      if (mark !== '+') hunk?.old.push(text)
      if (mark !== '-') hunk?.new.push(text)
    }
  }
  const real = hunks.filter((hunk) => hunk.old.length + hunk.new.length > 0)
  return real.every(({ old }) => old.length > 0) ? real : null
}

const heredoc =
  /^\s*(?:cd\s+(['"]?)([^\n'"&|;<>$`]+)\1\s*&&\s*)?(?:apply_patch|applypatch)\s*<<-?\s*(['"]?)(\w+)\3\s*\n([\s\S]*?)\n\4\s*$/

/** A patch given to the command `apply_patch` in a shell: by heredoc, alone or behind a `cd`. */
export function patchInShell(script: string, cwd: string): { readonly patch: string; readonly cwd: string } | null {
  const [, , folder, , , patch] = heredoc.exec(script) ?? []
  if (patch === undefined) return null
  return { patch, cwd: folder === undefined ? cwd : resolve(cwd, folder.trim()) }
}

/** Hunks of a unified diff as Codex records it for a file it has changed. */
export function parseDiff(diff: string): Hunk[] | null {
  const hunks: { line: number; old: string[]; new: string[] }[] = []
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  let sides: string[][] = []
  for (const line of lines) {
    const start = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(line)
    const hunk = hunks.at(-1)
    if (start !== null) {
      // An empty old side stands behind the line it names.
      hunks.push({ line: Number(start[1]) + (start[2] === '0' ? 1 : 0), old: [], new: [] })
    } else if (hunk === undefined) {
      if (!/^(---|\+\+\+) /.test(line)) return null
    } else if (line.startsWith('\\')) {
      // "No newline at end of file", said of the line before.
      for (const side of sides) side.push((side.pop() ?? '').slice(0, -1))
    } else {
      const mark = line === '' ? ' ' : line.charAt(0)
      if (mark !== ' ' && mark !== '-' && mark !== '+') return null
      sides = [...(mark === '+' ? [] : [hunk.old]), ...(mark === '-' ? [] : [hunk.new])]
      for (const side of sides) side.push(`${line.slice(1)}\n`)
    }
  }
  return hunks
}
