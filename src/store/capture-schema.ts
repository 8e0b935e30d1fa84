// The tables of capturing; the captures themselves are rebuilt from the refs when they are lost.

export const captureTables = `
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

/** Whose changes are whose, where several sessions worked in one folder at a time: JSON; NULL while nobody has looked. */
export const captureSharing = `
  ALTER TABLE captures ADD COLUMN shared TEXT;
  CREATE INDEX captures_by_root ON captures (root, ended_at);
`
