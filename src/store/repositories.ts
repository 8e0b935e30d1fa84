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
  /** The repository does not name its root; only the root's own `.git` file does. */
  readonly claimed: boolean
}

interface Row extends Omit<RepositoryRecord, 'claimed'> {
  readonly claimed: 0 | 1
}

const columns = 'id, root, common_dir AS commonDir, common_birth AS commonBirth, root_commit AS rootCommit, claimed'

export function createRepositoryTable(db: Database) {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM repositories`)
  const folders = db.prepare<[], { folder: string; repoId: string }>('SELECT folder, repo_id AS repoId FROM repository_folders')
  const upsert = db.prepare(
    `INSERT INTO repositories (id, root, common_dir, common_birth, root_commit, claimed)
     VALUES (@id, @root, @commonDir, @commonBirth, @rootCommit, @claimed)
     ON CONFLICT (id) DO UPDATE SET root = @root, common_dir = @commonDir, common_birth = @commonBirth, root_commit = @rootCommit,
       claimed = @claimed`,
  )
  const forget = db.prepare<[string]>('DELETE FROM repository_folders WHERE folder = ?')
  const remember = db.prepare<[string, string]>('INSERT OR REPLACE INTO repository_folders (folder, repo_id) VALUES (?, ?)')
  return {
    all: (): RepositoryRecord[] => all.all().map((row) => ({ ...row, claimed: row.claimed === 1 })),
    folders: (): { folder: string; repoId: string }[] => folders.all(),
    put(repository: RepositoryRecord): void {
      upsert.run({ ...repository, claimed: repository.claimed ? 1 : 0 })
    },
    rememberFolder(folder: string, repoId: string): void {
      remember.run(folder, repoId)
    },
    forgetFolder(folder: string): void {
      forget.run(folder)
    },
  }
}
