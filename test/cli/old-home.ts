// A home that an older offshoot filled: `samples/home-of-schema-8.*` is its database, with the one session it knew.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { removeFolder } from '../setup/remove-folder.ts'
import { bin, type Run, runProcess } from './run-cli.ts'

const samples = join(import.meta.dirname, 'samples')
const oldRoot = '/tmp/offshoot-old-home'

export const oldSessionId = '5e0c1f0a-3b52-4d0e-9a52-6d2f3e9b7a11'

export interface OldHome {
  /** Holds the home and the repository. */
  readonly root: string
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>
  query<T>(ask: (db: Sqlite.Database) => T): T
  remove(): void
}

export function createOldHome(): OldHome {
  const root = mkdtempSync(join(tmpdir(), 'offshoot-old-'))
  const home = join(root, 'home')
  const project = join(home, '.claude', 'projects', join(root, 'repo').replace(/[^A-Za-z0-9]/g, '-'))
  for (const folder of [project, join(home, '.offshoot'), join(root, 'repo')]) mkdirSync(folder, { recursive: true })
  const lines = readFileSync(join(samples, 'home-of-schema-8.jsonl'), 'utf8')
  writeFileSync(join(project, `${oldSessionId}.jsonl`), lines.replaceAll(oldRoot, root))
  const database = join(home, '.offshoot', 'offshoot.db')
  writeFileSync(database, gunzipSync(readFileSync(join(samples, 'home-of-schema-8.db.gz'))))
  const query: OldHome['query'] = (ask) => {
    const db = new Sqlite(database)
    try {
      return ask(db)
    } finally {
      db.close()
    }
  }
  const oldProject = join(oldRoot, 'home', '.claude', 'projects', '-tmp-offshoot-old-home-repo')
  query((db) => {
    db.prepare('UPDATE sessions SET path = replace(path, ?, ?), cwd = replace(cwd, ?, ?)').run(oldProject, project, oldRoot, root)
    db.prepare('UPDATE search_sessions SET path = replace(path, ?, ?)').run(oldProject, project)
  })
  const vars = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CODEX_HOME: join(home, '.codex'),
    OFFSHOOT_HOME: join(home, '.offshoot'),
  }
  return {
    root,
    run: (args, env = {}) => runProcess(process.execPath, [bin, ...args], join(root, 'repo'), { ...vars, ...env }),
    query,
    remove: () => removeFolder(root),
  }
}
