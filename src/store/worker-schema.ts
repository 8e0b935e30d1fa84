// The table of workers: the agents offshoot runs. No prompt, no answer and no value of an environment ever stands in here.

export const workerTables = `
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
