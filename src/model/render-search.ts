// The JSON of a search: the names of SF3, the same on every face.
import { renderTime, sessionAddress, turnAddress } from './render.ts'
import type { IndexProgress, IndexReport, IndexState, SearchAnswer, SearchResult } from './search.ts'

export function renderSearch(answer: SearchAnswer) {
  const { query, engine, mode, results, index, notes, qmdError } = answer
  return {
    query,
    engine,
    mode,
    results: results.map(renderResult),
    index: renderIndexState(index),
    ...(notes.length === 0 ? {} : { notes }),
    ...(qmdError === undefined ? {} : { qmd_error: qmdError }),
  }
}

function renderResult({ rank, score, session, turn, snippet, sourcePath, touched, canFork, warning, explain }: SearchResult) {
  return {
    rank,
    score,
    session_id: session.id,
    agent_type: session.agent,
    title: session.title,
    working_directory: session.cwd,
    repo_root: session.repoRoot,
    date: renderTime(session.updatedAt),
    turn: turn === null ? sessionAddress(session) : turnAddress(session, turn),
    snippet: snippet.text,
    snippet_marks: snippet.marks,
    source_path: sourcePath ?? session.path,
    jsonl_path: session.path,
    can_fork: canFork,
    ...(touched === undefined ? {} : { touched }),
    ...(warning === undefined ? {} : { warning }),
    ...(explain === undefined ? {} : { explain }),
  }
}

export function renderIndexState(state: IndexState) {
  return {
    complete: state.complete,
    running: state.running,
    sessions: state.sessions,
    indexed_sessions: state.indexedSessions,
    turns: state.turns,
    chunks: state.chunks,
    model: state.model,
    embedded: state.embedded,
  }
}

export function renderIndexReport({ busy, stopped, sessions, removed, chunks, problems }: IndexReport) {
  return { busy, stopped, sessions, removed, chunks, problems }
}

export function renderIndexProgress(progress: IndexProgress) {
  return {
    files: progress.files,
    files_done: progress.filesDone,
    bytes: progress.bytes,
    bytes_done: progress.bytesDone,
    bytes_per_second: progress.bytesPerSecond,
    left_ms: progress.leftMs,
  }
}
