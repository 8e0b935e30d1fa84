// Repositories as they were last seen, and every folder that was ever known to belong to one.
import type { Database } from './open.ts'

export interface RepositoryRecord {
  readonly id: string
  /** Top level of the main worktree. */
  readonly root: string
  readonly commonDir: string
  /** Changes when another repository is put in its place. */
  readonly commonBirth: string
  /** `null` while there is no commit, in a shallow clone, or when git could not say. */
  readonly rootCommit: string | null
}

const columns = 'id, root, common_dir AS commonDir, common_birth AS commonBirth, root_commit AS rootCommit'

export function createRepositoryTable(db: Database) {
  const all = db.prepare<[], RepositoryRecord>(`SELECT ${columns} FROM repositories`)
  const folders = db.prepare<[], { folder: string; repoId: string }>('SELECT folder, repo_id AS repoId FROM repository_folders')
  const upsert = db.prepare(
    `INSERT INTO repositories (id, root, common_dir, common_birth, root_commit)
     VALUES (@id, @root, @commonDir, @commonBirth, @rootCommit)
     ON CONFLICT (id) DO UPDATE SET root = @root, common_dir = @commonDir, common_birth = @commonBirth, root_commit = @rootCommit`,
  )
  const remember = db.prepare<[string, string]>('INSERT OR REPLACE INTO repository_folders (folder, repo_id) VALUES (?, ?)')
  return {
    all: (): RepositoryRecord[] => all.all(),
    folders: (): { folder: string; repoId: string }[] => folders.all(),
    put(repository: RepositoryRecord): void {
      upsert.run(repository)
    },
    rememberFolder(folder: string, repoId: string): void {
      remember.run(folder, repoId)
    },
  }
}
