// What Codex recorded of a patch it applied: one entry per file, with the content of an added one and a diff of a changed one.
import { fileURLToPath } from 'node:url'
import { isObject } from '../../lib/jsonl.ts'
import { systemText } from '../../lib/system-text.ts'
import { type PatchEdit, parseDiff } from './patch-text.ts'

/** `null` when one of them cannot be told. */
export function changesOf(changes: unknown): PatchEdit[] | null {
  if (!isObject(changes)) return null
  const edits = Object.entries(changes).map(([name, change]) => editOf(plainPath(name), change))
  return edits.every((edit) => edit !== null) ? edits : null
}

function editOf(path: string | null, change: unknown): PatchEdit | null {
  if (path === null) return null
  const { type, body } = tagged(change)
  switch (type) {
    case 'add':
      return typeof body.content === 'string' ? { path, kind: 'write', after: body.content } : null
    case 'delete':
      return { path, kind: 'delete', ...(typeof body.content === 'string' ? { before: body.content } : {}), after: null }
    case 'update': {
      const hunks = typeof body.unified_diff === 'string' ? parseDiff(body.unified_diff) : null
      if (hunks === null) return null
      if (typeof body.move_path !== 'string') return { path, kind: 'edit', hunks }
      const movedTo = plainPath(body.move_path)
      return movedTo === null ? null : { path, kind: 'move', movedTo, hunks }
    }
    default:
      return null
  }
}

/** `{type: "add", ...}`; before 0.50 `{add: {...}}`. */
function tagged(change: unknown): { readonly type: string; readonly body: Record<string, unknown> } {
  if (!isObject(change)) return { type: '', body: {} }
  if (typeof change.type === 'string') return { type: change.type, body: change }
  const [type = '', body] = Object.entries(change)[0] ?? []
  return { type, body: isObject(body) ? body : {} }
}

/** Newer versions write some paths as file URLs. `null`: not a path. */
export function plainPath(value: unknown): string | null {
  const path = systemText(value)
  if (path === null || !path.startsWith('file://')) return path
  try {
    return systemText(fileURLToPath(path))
  } catch {
    return path // of another machine, or damaged: no path here
  }
}
