// The tables of the catalogue: the cache of what the agents' files say, and what is remembered because no file gives it back.

export const cacheTables = `
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

export const factTables = `
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

/** What people call sessions, beside the agents' titles. */
export const labelTable = `
  CREATE TABLE labels (
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (agent, session_id)
  ) WITHOUT ROWID;
`

/** The other files a session is read from, as JSON: when one of them comes or goes, the session reads differently. */
export const builtOnColumn = `
  ALTER TABLE sessions ADD COLUMN built_on TEXT NOT NULL DEFAULT '[]';
`

/**
 * `claimed`: the repository does not name its root, only the root's own `.git` file does. `turns.cwd`: the folder in which the prompt
 * was given; NULL: that of the turn before. `sessions.folders`: those of all turns, as JSON, where they are not all the session's own.
 */
export const folderColumns = `
  ALTER TABLE repositories ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE turns ADD COLUMN cwd TEXT;
  ALTER TABLE sessions ADD COLUMN folders TEXT NOT NULL DEFAULT '[]';
`
