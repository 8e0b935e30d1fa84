// What Claude Code keeps beside a session: `<session id>/` with subagents' transcripts and long tool outputs.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../../lib/file-errors.ts'
import type { SessionFile } from '../agent.ts'

/** `<session id>/` next to `<session id>.jsonl`. */
export function sideFolder({ path }: Pick<SessionFile, 'path'>): string {
  return path.replace(/\.jsonl$/, '')
}

export function sideFiles(file: SessionFile): string[] {
  const folder = sideFolder(file)
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(entry.parentPath, entry.name) : [],
    )
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
