// The schema, as numbered steps: step n brings a database from version n - 1 to n and is never edited after a release.
// Two kinds of tables: the cache, filled from the agents' files and emptied at will, and what no agent's file can give back.
import { searchDropped, searchSegments, searchTables } from './search-schema.ts'

const cacheTables = `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    path TEXT NOT NULL,
    id TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    modified_at REAL NOT NULL,
    inode INTEGER NOT NULL,
    older_paths TEXT NOT NULL,
    born_at REAL,
    state TEXT NOT NULL,
    title TEXT NOT NULL,
    title_from TEXT NOT NULL,
    cwd TEXT,
    branch TEXT,
    model TEXT,
    cli_version TEXT,
    created_at REAL,
    updated_at REAL,
    input_tokens INTEGER NOT NULL,
    cached_input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    recorded_parent TEXT,
    inherited_turns INTEGER NOT NULL,
    copied INTEGER NOT NULL,
    broken TEXT,
    turns INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    repo_id TEXT,
    revision INTEGER NOT NULL DEFAULT 1,
    -- Filled by the lineage pass, which works off every session that is not linked yet.
    linked INTEGER NOT NULL DEFAULT 0,
    own_turns INTEGER NOT NULL DEFAULT 0,
    own_messages INTEGER NOT NULL DEFAULT 0,
    own_input_tokens INTEGER NOT NULL DEFAULT 0,
    own_cached_input_tokens INTEGER NOT NULL DEFAULT 0,
    own_output_tokens INTEGER NOT NULL DEFAULT 0,
    parent_agent TEXT,
    parent_session_id TEXT,
    parent_turn_id TEXT,
    parent_turn_number INTEGER,
    parent_message_id TEXT,
    parent_kind TEXT,
    UNIQUE (agent, path)
  );
  CREATE INDEX sessions_by_id ON sessions (id);
  CREATE INDEX sessions_by_repo ON sessions (repo_id);
  CREATE INDEX sessions_by_parent ON sessions (parent_session_id);

  -- Apart from sessions, so that listing never drags an agent's reading state through memory.
  CREATE TABLE reading_states (
    session_key INTEGER PRIMARY KEY REFERENCES sessions (key) ON DELETE CASCADE,
    mark TEXT NOT NULL,
    resume TEXT NOT NULL
  );

  CREATE TABLE turns (
    session_key INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    number INTEGER,
    id TEXT NOT NULL,
    prompt TEXT NOT NULL,
    started_at REAL,
    ended_at REAL,
    messages INTEGER NOT NULL,
    last_message_id TEXT,
    state TEXT NOT NULL,
    after_compaction INTEGER NOT NULL,
    input_tokens INTEGER,
    cached_input_tokens INTEGER,
    output_tokens INTEGER,
    PRIMARY KEY (session_key, position)
  ) WITHOUT ROWID;
  -- Relatives share the turn a branch begins with; to index all others as well would double the cost of a first scan.
  CREATE INDEX turns_by_id ON turns (id) WHERE number IS NULL OR number = 1;

  CREATE TABLE skipped (
    session_key INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (session_key, reason)
  ) WITHOUT ROWID;
`

const factTables = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- Remembered rather than cached: once a folder is moved or removed, nothing else knows which repository it was.
  CREATE TABLE repositories (
    id TEXT PRIMARY KEY,
    root TEXT NOT NULL,
    common_dir TEXT NOT NULL,
    common_birth TEXT NOT NULL,
    root_commit TEXT
  ) WITHOUT ROWID;
  CREATE INDEX repositories_by_root_commit ON repositories (root_commit);
  CREATE TABLE repository_folders (
    folder TEXT PRIMARY KEY,
    repo_id TEXT NOT NULL REFERENCES repositories (id) ON DELETE CASCADE
  ) WITHOUT ROWID;

  CREATE TABLE archive_files (
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    path TEXT NOT NULL,
    role TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    modified_at REAL NOT NULL,
    inode INTEGER NOT NULL,
    archived_at REAL NOT NULL,
    PRIMARY KEY (agent, session_id, path)
  ) WITHOUT ROWID;
`

/** What forking records. No prompt and no transcript ever stands in here. */
const forkTables = `
  CREATE TABLE forks (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    agent TEXT NOT NULL,
    -- NULL until the agent has made the session, where it chooses the id itself.
    session_id TEXT,
    strategy TEXT NOT NULL,
    title TEXT NOT NULL,
    file TEXT,
    -- Size when it was made: what is longer was worked in.
    file_bytes INTEGER,
    created_paths TEXT NOT NULL DEFAULT '[]',
    cwd TEXT NOT NULL,
    command TEXT NOT NULL,
    workspace_id TEXT,
    parent TEXT NOT NULL,
    source TEXT NOT NULL,
    proof TEXT,
    created_at REAL NOT NULL,
    undone_at REAL
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX forks_by_session ON forks (agent, session_id);

  CREATE TABLE fork_seeds (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    parent_agent TEXT NOT NULL,
    parent_session_id TEXT NOT NULL,
    parent_workspace TEXT,
    created_at REAL NOT NULL,
    seed_prompt_hash TEXT NOT NULL,
    seed_prompt_path TEXT,
    token_estimate INTEGER NOT NULL,
    context_window INTEGER,
    seed_ack_filtered INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;

  CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    branch TEXT NOT NULL,
    base_commit TEXT,
    common_dir TEXT NOT NULL,
    -- How the work tree was when it was made: work done in it shows against this.
    made TEXT,
    created_at REAL NOT NULL,
    removed_at REAL
  ) WITHOUT ROWID;

  CREATE TABLE journal (
    fork_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    step TEXT NOT NULL,
    undo TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    at REAL NOT NULL,
    PRIMARY KEY (fork_id, position)
  ) WITHOUT ROWID;

  -- What the model was sent with the last request of a turn, and the window the agent said it had.
  ALTER TABLE turns ADD COLUMN context_tokens INTEGER;
  ALTER TABLE sessions ADD COLUMN context_window INTEGER;
`

/** What capturing records; rebuilt from the refs when it is lost. */
const captureTables = `
  CREATE TABLE captures (
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    turn_key TEXT NOT NULL,
    moment TEXT NOT NULL,
    turn_id TEXT,
    number INTEGER,
    prompt TEXT NOT NULL,
    captured_by TEXT NOT NULL,
    common_dir TEXT,
    root TEXT,
    ref TEXT,
    snapshot TEXT,
    tree TEXT,
    head TEXT,
    branch TEXT,
    commit_id TEXT,
    started_at REAL,
    ended_at REAL,
    start_tree TEXT,
    files TEXT NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    not_covered TEXT NOT NULL,
    PRIMARY KEY (agent, session_id, turn_key, moment)
  ) WITHOUT ROWID;
  CREATE INDEX captures_by_turn ON captures (turn_id);

  -- Restores, so that undo can bring the state before back.
  CREATE TABLE restores (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    root TEXT NOT NULL,
    common_dir TEXT NOT NULL,
    safety_ref TEXT NOT NULL,
    source TEXT NOT NULL,
    -- The state that was restored: what was done since shows against it.
    target_tree TEXT NOT NULL,
    paths TEXT NOT NULL,
    created_at REAL NOT NULL,
    undone_at REAL
  ) WITHOUT ROWID;

  -- Where a workspace's branch is pushed to, and how that went.
  CREATE TABLE pushes (
    workspace_id TEXT PRIMARY KEY,
    remote TEXT NOT NULL,
    pushed_commit TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at REAL,
    problem TEXT,
    updated_at REAL NOT NULL
  ) WITHOUT ROWID;
`

/** The agents offshoot runs. No prompt, no answer and no value of an environment ever stands in here. */
const workerTables = `
  CREATE TABLE workers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    agent TEXT NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT,
    state TEXT NOT NULL,
    cwd TEXT NOT NULL,
    workspace TEXT NOT NULL,
    terminal TEXT,
    begin TEXT NOT NULL,
    pane TEXT NOT NULL,
    pid INTEGER,
    command TEXT NOT NULL,
    settings TEXT NOT NULL,
    owner TEXT NOT NULL,
    forked_from TEXT,
    created_at REAL NOT NULL,
    ended_at REAL,
    exit_status INTEGER,
    exit_signal TEXT,
    turn_cut_off INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
`

/** What people call sessions, beside the agents' titles. */
const labelTable = `
  CREATE TABLE labels (
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (agent, session_id)
  ) WITHOUT ROWID;
`

export const migrations: readonly string[] = [
  `${factTables}${cacheTables}`,
  forkTables,
  captureTables,
  searchTables,
  workerTables,
  searchSegments,
  labelTable,
  searchDropped,
]

/** Raised whenever the agents' readers give more or other answers for the same bytes: the cache is then read anew. */
export const cacheVersion = 1

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
