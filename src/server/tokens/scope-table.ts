// Which scope each route and each MCP tool needs, and each verb of the guarded app below them. docs/tokens.md has the same table; tests
// compare the two, and fail for a route or a tool that is missing here.
import type { GuardedApp } from '../../guarded-app.ts'
import type { Scope } from '../../model/scope.ts'

export interface Need {
  /** Without it the route or tool cannot be called at all, and is not shown. */
  readonly scope: Scope
  /** What it can do besides only with a higher scope; the verbs below decide. */
  readonly more?: string
  /** The scope that a call needs by its arguments, which may be of any kind: judged before anything else about the call. */
  readonly scopeFor?: (args: Readonly<Record<string, unknown>>) => Scope
}

export const routeNeeds: Readonly<Record<string, Need>> = {
  'GET /session': { scope: 'read' },
  'GET /session/{id}': { scope: 'read' },
  'GET /session/{id}/message': { scope: 'read' },
  'GET /session/{id}/turns': { scope: 'read' },
  'GET /session/{id}/tree': { scope: 'read' },
  'GET /session/{id}/diff': { scope: 'read' },
  'GET /tree': { scope: 'read' },
  'GET /search': { scope: 'read' },
  'GET /workers': { scope: 'read' },
  'GET /workers/{id}': { scope: 'read' },
  'GET /events': { scope: 'read' },
  'GET /openapi.json': { scope: 'read' },
  'POST /mcp': { scope: 'read', more: 'as each tool needs' },
  'POST /session/{id}/fork': { scope: 'fork' },
  'POST /workers/{id}/fork': { scope: 'fork', more: '`run` unless `dry_run`' },
  'POST /session/{id}/message': { scope: 'run' },
  'POST /workers': { scope: 'run' },
  'DELETE /workers/{id}': { scope: 'run' },
  'POST /workers/{id}/send': { scope: 'run' },
  'POST /workers/{id}/interrupt': { scope: 'run' },
  'POST /workers/{id}/permission': { scope: 'run' },
}

export const toolNeeds: Readonly<Record<string, Need>> = {
  search_sessions: { scope: 'read' },
  list_sessions: { scope: 'read' },
  read_session: { scope: 'read' },
  list_turns: { scope: 'read' },
  session_tree: { scope: 'read' },
  list_workers: { scope: 'read' },
  smart_fork: {
    scope: 'read',
    more: '`fork` with `auto_fork` or `fork_index`; `run` unless `dry_run` or `terminal` `none`',
    scopeFor({ auto_fork, fork_index, dry_run, terminal }) {
      if (auto_fork !== true && fork_index === undefined) return 'read'
      return dry_run === true || terminal === 'none' ? 'fork' : 'run'
    },
  },
  fork_session: {
    scope: 'fork',
    more: '`run` to open it: with a `terminal` other than `none`, unless `dry_run`',
    // A plan may open its fork as well: the verb decides when the plan is known.
    scopeFor: ({ dry_run, terminal = 'none' }) => (dry_run === true || terminal === 'none' ? 'fork' : 'run'),
  },
  fork_worker: {
    scope: 'fork',
    more: '`run` unless `dry_run`',
    scopeFor: ({ dry_run }) => (dry_run === true ? 'fork' : 'run'),
  },
  spawn_workers: { scope: 'run' },
  send_to_worker: { scope: 'run' },
}

/** Planning writes and runs nothing; `fork` makes a session and a workspace; all that lets an agent work is `run`. */
export const verbNeeds: Readonly<Record<Exclude<keyof GuardedApp, 'roots'>, Scope>> = {
  scopeOf: 'read',
  listSessions: 'read',
  session: 'read',
  resolve: 'read',
  listTurns: 'read',
  readSession: 'read',
  readPage: 'read',
  readTurns: 'read',
  tree: 'read',
  diff: 'read',
  search: 'read',
  listWorkers: 'read',
  findWorker: 'read',
  onEvent: 'read',
  indexStatus: 'read',
  planFork: 'fork',
  plannedFork: 'fork',
  planSpawnedFork: 'fork',
  planForkWorker: 'fork',
  fork: 'fork',
  executePlanned: 'fork',
  spawnWorker: 'run',
  sendToWorker: 'run',
  sendToSession: 'run',
  interruptWorker: 'run',
  answerPermission: 'run',
  forkWorker: 'run',
  stopWorker: 'run',
  doctor: 'run',
}
