// The one place that decides what becomes of a permission request without a person. `null`: a person has to be asked.
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { RunPolicy } from '../agents/runs.ts'
import { isMissing } from '../lib/file-errors.ts'
import { isObject } from '../lib/jsonl.ts'
import { ownReasons } from '../model/own-reasons.ts'
import type { Decision, PermissionRequest } from '../model/run.ts'
import type { WorkerSettings } from '../model/worker.ts'

/** What the agent is told. `ask` as a mere default leaves what is asked to the agent's own settings. */
export function runPolicy({ policy, policyGiven }: Pick<WorkerSettings, 'policy' | 'policyGiven'>): RunPolicy {
  return policy === 'ask' && policyGiven !== true ? 'own' : policy
}

export function decide(
  { policy, allow }: Pick<WorkerSettings, 'policy' | 'allow'>,
  cwd: string,
  request: PermissionRequest,
): Decision | null {
  switch (policy) {
    case 'ask':
      return null
    case 'deny':
      return { verdict: 'deny', reason: ownReasons.noPermissions }
    case 'accept_edits':
      return request.kind === 'edit' && editsOnlyWithin(cwd, request.arguments) ? { verdict: 'allow' } : null
    case 'allow_list':
      if (request.kind === 'question') return null
      return allow.some((rule) => matches(rule, request))
        ? { verdict: 'allow' }
        : { verdict: 'deny', reason: ownReasons.notListed }
  }
}

/** What names no path is not known to stay inside. */
function editsOnlyWithin(cwd: string, args: unknown): boolean {
  const paths = pathsIn(args)
  return paths.length > 0 && paths.every((path) => isWithin(cwd, path))
}

function pathsIn(args: unknown): string[] {
  if (!isObject(args)) return []
  const own = [args.file_path, args.notebook_path, args.path].filter((value) => typeof value === 'string')
  const changes = Array.isArray(args.changes) ? args.changes : isObject(args.changes) ? Object.keys(args.changes) : []
  const changed = changes.map((change: unknown) => (isObject(change) ? change.path : change))
  // One change that cannot be understood spoils the whole request.
  if (changed.some((path) => typeof path !== 'string')) return []
  return [...own, ...changed.filter((path) => typeof path === 'string')]
}

function isWithin(cwd: string, path: string): boolean {
  const full = realPath(resolve(cwd, path))
  const below = full.slice(cwd.length + 1).split(sep)
  // Nobody's edit of git's own files or of an agent's settings is a plain edit: both run commands later.
  return full.startsWith(cwd + sep) && !below.some((part) => ['.git', '.claude', '.codex'].includes(part))
}

/** Of a file that does not exist yet: where it would be. A link may lead out of the folder. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) return ''
    return join(realPath(dirname(path)), basename(path))
  }
}

/** `Read`, `mcp__x__*`, `Bash(git log:*)`, `Bash(npm test)`. */
function matches(rule: string, request: PermissionRequest): boolean {
  const parts = /^([^()]+)(?:\((.*)\))?$/s.exec(rule.trim())
  const [, tool, inner] = parts ?? []
  if (tool === undefined || !nameFits(tool, request.tool)) return false
  if (inner === undefined || inner === '*') return true
  const command = commandOf(request)
  if (command === null) return false
  if (!inner.endsWith(':*')) return command === inner
  const prefix = inner.slice(0, -2)
  // What follows may hold arguments only: anything a shell would take for another command is not what was allowed.
  return (command === prefix || command.startsWith(`${prefix} `)) && !/[;&|`$(){}<>\\\n\r]/.test(command)
}

function nameFits(pattern: string, tool: string): boolean {
  return pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern
}

function commandOf({ kind, arguments: args }: PermissionRequest): string | null {
  if (kind !== 'command' || !isObject(args) || typeof args.command !== 'string') return null
  const wrapped = /^(?:\/bin\/|\/usr\/bin\/)?(?:ba|z)?sh -l?c '([^']*)'$/.exec(args.command)
  return wrapped?.[1] ?? args.command
}
