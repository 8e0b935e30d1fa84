// Checks every field of a hook's payload by hand: ids become parts of refs and paths, and a schema library would cost the hook
// more than all its other code.
import type { HookEvent } from './hooks.ts'

/** The same rule as for parts of refs (snapshots/snapshot.ts, which this layer may not import). */
const safeId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/** `null` where the session or the folder is missing: there is nothing to capture then. */
export function eventOf(
  kind: HookEvent['kind'],
  fields: Readonly<Record<'sessionId' | 'transcriptPath' | 'cwd' | 'turnKey' | 'prompt', unknown>>,
): HookEvent | null {
  const sessionId = idOf(fields.sessionId)
  const cwd = pathOf(fields.cwd)
  if (sessionId === null || cwd === null) return null
  return {
    kind,
    sessionId,
    transcriptPath: pathOf(fields.transcriptPath),
    cwd,
    turnKey: idOf(fields.turnKey),
    prompt: typeof fields.prompt === 'string' ? fields.prompt : null,
  }
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' && safeId.test(value) ? value : null
}

function pathOf(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith('/') && !value.includes('\0') ? value : null
}
