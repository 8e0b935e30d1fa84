// The tables of forking. No prompt and no transcript ever stands in here.

export const forkTables = `
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
