// The tables of the search index. Sessions are known by agent and path, not by their key in the catalogue: emptying that cache
// must not cost an index of gigabytes. Chunks stand in blocks of 1,024 by key, so that a process loads them in few reads.

export const searchTables = `
  CREATE TABLE search_sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    path TEXT NOT NULL,
    id TEXT NOT NULL,
    -- The file as it was when all its turns were in; NULL while some are not.
    mark TEXT,
    prompt_terms INTEGER NOT NULL DEFAULT 0,
    body_terms INTEGER NOT NULL DEFAULT 0,
    tool_terms INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 0,
    UNIQUE (agent, path)
  );
  CREATE INDEX search_sessions_by_generation ON search_sessions (generation);

  CREATE TABLE search_turns (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session_key INTEGER NOT NULL,
    id TEXT NOT NULL,
    number INTEGER,
    mark TEXT NOT NULL,
    UNIQUE (session_key, id)
  );

  -- Redacted text by field, and how many terms each field has.
  CREATE TABLE search_chunks (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session_key INTEGER NOT NULL,
    turn_key INTEGER NOT NULL,
    part INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    body TEXT NOT NULL,
    tools TEXT NOT NULL,
    prompt_terms INTEGER NOT NULL,
    body_terms INTEGER NOT NULL,
    tool_terms INTEGER NOT NULL
  );
  CREATE INDEX search_chunks_by_turn ON search_chunks (turn_key, part);

  CREATE TABLE search_files (
    name TEXT NOT NULL,
    session_key INTEGER NOT NULL,
    turn_key INTEGER NOT NULL,
    path TEXT NOT NULL,
    edited INTEGER NOT NULL,
    PRIMARY KEY (name, session_key, turn_key, path)
  ) WITHOUT ROWID;
  CREATE INDEX search_files_by_turn ON search_files (turn_key);

  -- Fed with terms made by us (identifiers split, stemmed), separated by blanks.
  CREATE VIRTUAL TABLE search_fts USING fts5(
    prompt, body, tools, names, content = '', contentless_delete = 1, tokenize = 'ascii'
  );
  CREATE VIRTUAL TABLE search_instances USING fts5vocab(search_fts, 'instance');
  CREATE VIRTUAL TABLE search_terms USING fts5vocab(search_fts, 'row');

  -- How often the commonest terms of a large index occur: to count them takes as long as a search.
  CREATE TABLE search_common (term TEXT PRIMARY KEY, chunks INTEGER NOT NULL, places INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE search_blocks (
    block INTEGER PRIMARY KEY,
    sessions BLOB NOT NULL,
    terms BLOB NOT NULL,
    generation INTEGER NOT NULL
  );

  CREATE TABLE search_models (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    dims INTEGER NOT NULL,
    -- Every chunk up to this key has its vector.
    embedded_to INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE search_vectors (
    model INTEGER NOT NULL,
    chunk_key INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model, chunk_key)
  ) WITHOUT ROWID;
  CREATE TABLE search_codes (
    model INTEGER NOT NULL,
    block INTEGER NOT NULL,
    codes BLOB NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (model, block)
  ) WITHOUT ROWID;
`

/** Words in segments of our own instead of FTS5, which took the writer twice the time. Everything is indexed anew. */
export const searchSegments = `
  DROP TABLE search_instances;
  DROP TABLE search_terms;
  DROP TABLE search_fts;
  DROP TABLE search_common;
  DROP TABLE search_chunks;
  DELETE FROM search_turns;
  DELETE FROM search_sessions;
  DELETE FROM search_files;
  DELETE FROM search_blocks;
  DELETE FROM search_vectors;
  DELETE FROM search_codes;
  UPDATE search_models SET embedded_to = 0;
  DELETE FROM sqlite_sequence WHERE name LIKE 'search_%';
  DELETE FROM meta WHERE key IN ('search_complete', 'search_counted_chunks');
  INSERT INTO meta (key, value) VALUES ('search_epoch', 1)
    ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1;

  -- Redacted text by field, behind how many terms each field has: to add these up no text is read.
  CREATE TABLE search_chunks (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session_key INTEGER NOT NULL,
    turn_key INTEGER NOT NULL,
    part INTEGER NOT NULL,
    prompt_terms INTEGER NOT NULL,
    body_terms INTEGER NOT NULL,
    tool_terms INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    body TEXT NOT NULL,
    tools TEXT NOT NULL
  );
  CREATE INDEX search_chunks_by_turn ON search_chunks (turn_key, part);

  -- Postings of the chunks from base on, in blocks (search-postings.ts) whose key begins with the segment's.
  CREATE TABLE search_segments (
    key INTEGER PRIMARY KEY,
    base INTEGER NOT NULL,
    chunks INTEGER NOT NULL
  );
  CREATE TABLE search_postings (
    key INTEGER PRIMARY KEY,
    postings BLOB NOT NULL
  );
`

/** Chunks that are gone and whose words may still stand in a segment or in the log. */
export const searchDropped = `
  CREATE TABLE search_dropped (chunk_key INTEGER PRIMARY KEY);
`
