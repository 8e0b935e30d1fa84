// Small facts about the database itself.
import type { Database } from './open.ts'

export function createMetaTable(db: Database) {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?')
  const set = db.prepare<[string, string]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
  return {
    get: (key: string): string | null => get.get(key)?.value ?? null,
    set(key: string, value: string): void {
      set.run(key, value)
    },
  }
}
