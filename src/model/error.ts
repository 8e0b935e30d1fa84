// The faults a person can act on: one table from code to exit status, HTTP status and hint.
// An expected absence is a value, not an AppError; a bug is a plain Error (exit 70).

interface ErrorKind {
  readonly exit: number
  readonly http: number
  readonly hint: string
  /** For programs, where they are told something else than users; commands and flags are translated by `program-words.ts`. */
  readonly api?: string
}

export const errorTable = {
  usage: {
    exit: 2,
    http: 400,
    hint: 'Run the command with --help to see what it takes.',
    api: 'Compare the parameters with the documented ones.',
  },
  bad_address: { exit: 2, http: 400, hint: 'An address looks like claude:60309e1e@12, codex:<id>@last or last@-2.' },
  bad_config: {
    exit: 2,
    http: 400,
    hint: 'See `offshoot config list` for the settings and `offshoot config path` for the file.',
  },
  session_not_found: {
    exit: 3,
    http: 404,
    hint: 'See `offshoot sessions --all` for every session there is.',
  },
  turn_not_found: { exit: 3, http: 404, hint: 'See `offshoot turns <session>` for its turns.' },
  not_captured: {
    exit: 3,
    http: 404,
    hint: 'See `offshoot turns <session>` for what was captured. Turns to come are captured after `offshoot hooks install`.',
  },
  message_not_found: {
    exit: 3,
    http: 400,
    hint: 'See `offshoot show <session> --json` for its messages.',
  },
  ambiguous: { exit: 4, http: 409, hint: 'Give more characters of the id, or put the agent in front.' },
  parent_missing: { exit: 3, http: 404, hint: 'The file this fork builds on is gone. Run `offshoot doctor` to see which.' },
  repo_not_found: { exit: 3, http: 404, hint: 'Go to a folder inside of a git repository; `git init` makes one.' },
  unreadable: { exit: 1, http: 500, hint: 'Check the permissions of the file named above.' },
  disk_full: { exit: 1, http: 507, hint: 'Free some space and try again.' },
  machine_limit: { exit: 1, http: 503, hint: 'End some programs and try again.' },
  file_exists: { exit: 4, http: 409, hint: 'Choose another file, or remove this one first.' },
  branch_taken: { exit: 4, http: 409, hint: 'Choose another name with --branch.', api: 'Choose another `branch`.' },
  workspace_used: {
    exit: 4,
    http: 409,
    hint: 'Commit or copy what you need, then use --force to remove it with all that is in it.',
    api: 'Commit or copy what you need first.',
  },
  fork_not_found: { exit: 3, http: 404, hint: 'See `offshoot tree` for the forks there are.' },
  fork_used: {
    exit: 4,
    http: 409,
    hint: 'Use --force to remove it with all that was done in it.',
    api: 'Keep what was done in it, or let the user remove it.',
  },
  fork_needed: { exit: 4, http: 409, hint: 'Undo or delete the sessions that need it first.' },
  changed_since: {
    exit: 4,
    http: 409,
    hint: 'Use --force to bring the files back all the same.',
    api: 'Keep what was changed, or let the user decide.',
  },
  confirm_needed: {
    exit: 4,
    http: 409,
    hint: 'Look at the plan, then say yes with --yes, or name the codes to accept.',
    api: 'Show the plan to the user, then name the codes they accept in `accept`.',
  },
  plan_stale: { exit: 4, http: 409, hint: 'Make the plan again.' },
  fork_blocked: { exit: 5, http: 409, hint: 'Look at the plan with --dry-run.', api: 'Look at the plan: `dry_run: true`.' },
  store_failed: {
    exit: 1,
    http: 500,
    hint: 'Run `offshoot doctor`. If that does not help, move `offshoot.db` away: it is rebuilt, without the names given in offshoot and without what `offshoot undo` could take back.',
  },
  store_busy: { exit: 4, http: 409, hint: 'Another offshoot is writing; try again in a moment.' },
  store_newer: { exit: 1, http: 500, hint: 'This database was written by a newer offshoot; update offshoot.' },
  busy: { exit: 4, http: 409, hint: 'Wait for the running turn to end, or choose an earlier turn.' },
  refused: { exit: 5, http: 403, hint: 'This is not allowed by the settings.' },
  tool_missing: { exit: 1, http: 500, hint: 'Run `offshoot doctor` to see what is missing and how to get it.' },
  failed: { exit: 1, http: 500, hint: 'Run `offshoot doctor` for a check of everything offshoot depends on.' },
  embedder_failed: {
    exit: 1,
    http: 502,
    hint: 'Check `search.embed_url` and `search.embed_model`; without them the built-in model is used.',
  },
  worker_not_found: { exit: 3, http: 404, hint: 'See `offshoot workers` for those there are.' },
  worker_busy: { exit: 4, http: 409, hint: 'Wait until it is idle, or interrupt it.' },
  worker_waiting: { exit: 4, http: 409, hint: 'Answer what it asks first.' },
  worker_ended: { exit: 4, http: 409, hint: 'Start another, or fork its session.' },
  worker_unforkable: { exit: 4, http: 409, hint: 'Only a worker whose session is known can be forked.' },
  name_taken: { exit: 4, http: 409, hint: 'Choose another name, or leave it out.' },
  id_taken: { exit: 4, http: 409, hint: 'Leave the id out: offshoot makes a new one.' },
  permission_not_found: { exit: 3, http: 404, hint: 'It was answered already, or its turn has ended.' },
  pane_gone: { exit: 4, http: 409, hint: 'Its terminal pane was closed; resume the session in a new one.' },
  terminal_unavailable: {
    exit: 1,
    http: 503,
    hint: 'Run `offshoot doctor`, or use --terminal print.',
    api: 'Use the terminal "print", or none.',
  },
  timed_out: { exit: 1, http: 504, hint: 'It may still be at work: see `offshoot workers`.' },
  server_running: { exit: 4, http: 409, hint: 'Use the one that runs, or stop it first.' },
  port_taken: { exit: 4, http: 409, hint: 'Choose another with --port, or 0 for any that is free.', api: 'Choose another port.' },
  no_service_manager: { exit: 3, http: 503, hint: 'Run `offshoot serve` in the foreground, in tmux, or from your own init.' },
  unauthorized: {
    exit: 5,
    http: 401,
    hint: 'Send a valid token as `Authorization: Bearer ...`: the one in the file `token` of the folder of the server, or one of `offshoot token list`.',
    api: 'Send a valid token as `Authorization: Bearer ...`; the owner of this server has one or creates one.',
  },
  scope_needed: { exit: 5, http: 403, hint: 'Create a token with that scope: `offshoot token create`.' },
  token_not_found: { exit: 3, http: 404, hint: 'See `offshoot token list` for those there are.' },
  no_route: { exit: 3, http: 404, hint: 'See /openapi.json for what this server answers.' },
  wrong_method: { exit: 2, http: 405, hint: 'See /openapi.json for what this server answers.' },
  wrong_type: { exit: 2, http: 415, hint: 'Send JSON as it is, with `Content-Type: application/json`.' },
  too_large: { exit: 2, http: 413, hint: 'Send less at once.' },
  too_many: { exit: 1, http: 429, hint: 'Wait a moment.' },
  qmd_not_available: { exit: 1, http: 503, hint: 'Use the built-in engine: --engine builtin.', api: 'Use the built-in engine.' },
  interrupted: { exit: 130, http: 499, hint: '' },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errorTable

export const exitBug = 70

export interface AppErrorOptions {
  readonly hint?: string
  readonly cause?: unknown
  readonly details?: unknown
}

export class AppError extends Error {
  readonly code: ErrorCode
  readonly hint: string
  readonly details: unknown

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.hint = options.hint ?? errorTable[code].hint
    this.details = options.details
  }

  get exit(): number {
    return errorTable[this.code].exit
  }

  get httpStatus(): number {
    return errorTable[this.code].http
  }
}
