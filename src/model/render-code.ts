// The JSON of everything about code: snapshots, diffs, restores, what was cleared away, sessions that were started. snake_case.
import type {
  DiffResult,
  FileChange,
  Garbage,
  GcReport,
  PushState,
  RestoreEntry,
  RestorePlan,
  RestoreResult,
  SharedWork,
  TurnSnapshot,
} from './capture.ts'
import type { CodeSource, CommandSpec, Plan, SetupOutcome, SetupPlan } from './fork.ts'
import { renderTime } from './render-time.ts'
import type { Started, StartPlan, StartResult } from './start.ts'

export function renderSnapshot({ tree, commit, added, removed, files, notCovered, by, shared, changesUnknown }: TurnSnapshot) {
  return {
    tree,
    ...(commit === null ? {} : { commit }),
    added,
    removed,
    files,
    not_covered: notCovered,
    ...(changesUnknown === undefined ? {} : { changes_unknown: changesUnknown }),
    by,
    ...renderShared(shared),
  }
}

export function renderPush({ branch, remote, pushedCommit, attempts, nextAt, problem }: PushState) {
  return { branch, remote, pushed_commit: pushedCommit, attempts, next_at: renderTime(nextAt), problem }
}

export function renderCommand({ argv, cwd }: CommandSpec) {
  return { argv, cwd }
}

export function renderStarted({ id, agent, sessionId, title, file, workspace, command }: Started) {
  return {
    id,
    agent,
    session_id: sessionId,
    title,
    file,
    workspace: workspace === null ? null : renderWorkspace(workspace),
    command: renderCommand(command),
  }
}

function renderWorkspace({ path, branch, baseCommit }: StartPlan['workspace']) {
  return { path, branch, base_commit: baseCommit }
}

/** The code of a plan, of a fork as of a start. */
export function renderPlanCode({ mode, commit, dirtyFiles, untracked, leftBehind, included, submodules, from }: Plan['code']) {
  return {
    mode,
    commit,
    dirty_files: dirtyFiles,
    untracked,
    left_behind: leftBehind,
    included,
    submodules,
    ...(from === undefined ? {} : { from: renderCodeSource(from) }),
  }
}

function renderCodeSource({ kind, turnId, turnNumber, moment, tree }: CodeSource) {
  return { kind, turn_id: turnId, turn_number: turnNumber, moment, tree }
}

export function renderSetupPlan({ command, timeoutSeconds }: SetupPlan) {
  return { command, timeout_seconds: timeoutSeconds }
}

/** Nothing where the plan had no set-up command. */
function renderSetup({ setup }: { readonly setup?: SetupOutcome }) {
  if (setup === undefined) return {}
  const { command, exitCode, timedOut, seconds, output } = setup
  return { setup: { command, exit_code: exitCode, timed_out: timedOut, seconds, output } }
}

/** What became of the workspace besides what was planned: of a fork as of a start. */
export function renderMade({ notes, ...result }: Pick<StartResult, 'notes' | 'setup'>) {
  return { ...(notes === undefined ? {} : { notes }), ...renderSetup(result) }
}

export function renderStartPlan(plan: StartPlan) {
  const { agent, title, prompt, code, workspace, cwd, push, setup, terminal, warnings, steps } = plan
  return {
    agent,
    title,
    ...(prompt === undefined ? {} : { prompt }),
    code: renderPlanCode(code),
    workspace: renderWorkspace(workspace),
    cwd,
    push,
    setup: setup === null ? null : renderSetupPlan(setup),
    terminal,
    warnings,
    steps,
  }
}

export function renderStart(result: StartResult) {
  return { start: renderStarted(result.start), plan: renderStartPlan(result.plan), ...renderMade(result) }
}

function renderChange({ path, status, from, added, removed }: FileChange) {
  return { path, status, ...(from === undefined ? {} : { from }), added, removed }
}

export function renderDiff({ from, to, files, added, removed, patch, leftOut, shared }: DiffResult) {
  const more = { ...(leftOut === undefined ? {} : { left_out: leftOut }), ...renderShared(shared) }
  return { from: renderSide(from), to: renderSide(to), files: files.map(renderChange), added, removed, patch, ...more }
}

/** Nothing where no other session worked in the same folder. */
function renderShared(shared: SharedWork | null | undefined) {
  return shared == null ? {} : { shared: { with: shared.with, files: shared.files } }
}

function renderSide({ name, tree, root, notCovered }: DiffResult['from']) {
  return { name, tree, root, not_covered: notCovered }
}

export function renderRestorePlan({ root, changes, refused, warnings }: RestorePlan) {
  return { root, changes: changes.map(renderChange), refused, warnings }
}

export function renderRestore({ id, restored, refused, safetyRef }: RestoreResult) {
  return { id, restored, refused, safety_ref: safetyRef }
}

export function renderRestoreEntry({ id, root, source, paths, state, createdAt }: RestoreEntry) {
  return { id, root, source, paths, state, created_at: renderTime(createdAt) }
}

function renderGarbage({ kind, name, path, reason, bytes }: Garbage) {
  return { kind, name, path, reason, bytes }
}

export function renderGc({ removed, kept, freedBytes, dryRun, repository }: GcReport) {
  return {
    removed: removed.map(renderGarbage),
    kept: kept.map(renderGarbage),
    freed_bytes: freedBytes,
    dry_run: dryRun,
    repository,
  }
}
