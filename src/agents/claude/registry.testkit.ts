// A session that looks open: what Claude Code notes of itself while it runs, with the number of this process.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Gives the path of the note; `entry` replaces what it says. */
export function holdSession(home: string, sessionId: string, entry: object = {}): string {
  const registry = join(home, '.claude', 'sessions')
  mkdirSync(registry, { recursive: true })
  const path = join(registry, `${sessionId}.json`)
  writeFileSync(path, JSON.stringify({ pid: process.pid, sessionId, cwd: '/', status: 'busy', ...entry }))
  return path
}
