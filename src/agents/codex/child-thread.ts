// What makes a rollout a thread of its own: an id, a place among the others, a first line and a name.
import { randomBytes } from 'node:crypto'
import { appendFileSync, closeSync, existsSync, fstatSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { askGit } from '../../lib/ask-git.ts'
import { openRegular } from '../../lib/regular-file.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { Body } from './lines.ts'
import { codexHome, sessionsFolder } from './rollout-files.ts'

/** Codex's ids are UUIDv7: the first 48 bits are the time, by which we look for files too. */
export function makeThreadId(at: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(at, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Folder and stamp are in local time, as Codex has them (0.142 and 0.166, tried with TZ): the newest stamp is the live file. */
export function childPath(env: AgentEnv, threadId: string, at: number): string {
  const time = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [String(time.getFullYear()).padStart(4, '0'), two(time.getMonth() + 1), two(time.getDate())]
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two)
  return join(sessionsFolder(env), ...day, `rollout-${day.join('-')}T${clock.join('-')}-${threadId}.jsonl`)
}

/** The folders on the way to a file that are not there yet, outermost first. */
export function missingFolders(path: string): string[] {
  const missing: string[] = []
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder)
  return missing
}

export interface ChildMeta {
  readonly threadId: string
  readonly parentId: string
  readonly cwd: string
  readonly at: number
  readonly git: Body | null
}

/** What a subagent or a reference is told by: the child is neither. */
const notInherited = new Set([
  'history_base',
  'forked_from_ordinal_exclusive',
  'parent_thread_id',
  'subagent_history_start_ordinal',
  'agent_nickname',
  'agent_role',
  'agent_path',
  'instructions',
  'git',
])

/** Payload of the first line: the parent's, with what must be the child's own. `source` is what Codex's pickers list. */
export function childMeta(parent: Body | null, { threadId, parentId, cwd, at, git }: ChildMeta): Body {
  const kept = Object.entries(parent ?? {}).filter(([key]) => !notInherited.has(key))
  return {
    // Very old files do without these, no later Codex does.
    originator: 'offshoot',
    cli_version: '0.0.0',
    ...Object.fromEntries(kept),
    session_id: threadId,
    id: threadId,
    forked_from_id: parentId,
    timestamp: new Date(at).toISOString(),
    cwd,
    ...(parent?.runtime_workspace_roots === undefined ? {} : { runtime_workspace_roots: [cwd] }),
    source: 'cli',
    ...(parent?.thread_source === undefined ? {} : { thread_source: 'user' }),
    ...(git === null ? {} : { git }),
  }
}

/** Commit and branch of a folder, as Codex notes them; `null` where there is no commit, or no git. */
export async function gitOf(cwd: string, env: AgentEnv): Promise<Body | null> {
  const { stdout, exitCode } = await askGit(['rev-parse', 'HEAD', '--abbrev-ref', 'HEAD'], { cwd, vars: env.vars })
  const [commit = '', branch = ''] = stdout.trim().split('\n')
  if (exitCode !== 0 || commit === '') return null
  return { commit_hash: commit, ...(branch === '' || branch === 'HEAD' ? {} : { branch }) }
}

/** Where Codex keeps names, and appends to itself; `forgetNames` takes it back. */
export function nameThread(env: AgentEnv, threadId: string, name: string, at: number): void {
  const entry = { id: threadId, thread_name: name, updated_at: new Date(at).toISOString() }
  const path = join(codexHome(env), 'session_index.jsonl')
  // A line that was cut off, or written without its end, must not run into ours.
  const before = existsSync(path) && lacksNewline(path) ? '\n' : ''
  appendFileSync(path, `${before}${JSON.stringify(entry)}\n`, { mode: 0o600 })
}

function lacksNewline(path: string): boolean {
  const fd = openRegular(path)
  try {
    const last = Buffer.from('\n')
    readSync(fd, last, 0, 1, Math.max(0, fstatSync(fd).size - 1))
    return last.toString() !== '\n'
  } finally {
    closeSync(fd)
  }
}
