// The schema, as numbered steps: step n brings a database from version n - 1 to n and is never edited after a release.
// Two kinds of tables: the cache, filled from the agents' files and emptied at will, and what no agent's file can give back.
import { captureSharing, captureTables } from './capture-schema.ts'
import { builtOnColumn, cacheTables, factTables, folderColumns, labelTable } from './catalog-schema.ts'
import { forkTables } from './fork-schema.ts'
import { searchDropped, searchSegments, searchTables } from './search-schema.ts'
import { workerTables } from './worker-schema.ts'

export const migrations: readonly string[] = [
  `${factTables}${cacheTables}`,
  forkTables,
  captureTables,
  searchTables,
  workerTables,
  searchSegments,
  labelTable,
  searchDropped,
  builtOnColumn,
  captureSharing,
  folderColumns,
]

/** Raised whenever the agents' readers give more or other answers for the same bytes: the cache is then read anew. */
export const cacheVersion = 6

export const cacheTableNames = ['skipped', 'turns', 'reading_states', 'sessions'] as const
export const factTableNames = [
  'repositories',
  'repository_folders',
  'archive_files',
  'forks',
  'fork_seeds',
  'workspaces',
  'journal',
  'captures',
  'restores',
  'pushes',
  'workers',
  'labels',
] as const
