// The session files of a home as they lie on disk, for scenarios that move or remove them and for checks of their bytes.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodexHome } from './home.ts'

export function allRollouts(home: CodexHome): string[] {
  const folders = ['sessions', 'archived_sessions'].map((name) => join(home.folder, name)).filter((path) => existsSync(path))
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /rollout-[^/]*\.jsonl(\.zst)?$/.test(name))
      .map((name) => join(folder, name)),
  )
}

/** All files of one thread: the first segment and those that followed a rewind. */
export function rolloutsOf(home: CodexHome, threadId: string): string[] {
  return allRollouts(home).filter((path) => path.includes(threadId))
}

/** Path -> hash of the bytes. */
export function fingerprint(home: CodexHome): ReadonlyMap<string, string> {
  return new Map(allRollouts(home).map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]))
}
