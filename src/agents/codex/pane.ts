// What Codex does in a terminal pane. It keeps no list of its processes: the title we have it set tells best, then the screen; the
// lock and the last line of the thread's own file confirm it.
import { isAlive } from '../../lib/is-alive.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { outerAgentVars } from '../outer-agent.ts'
import type { PaneDriver, PaneLook, PaneSettings } from '../runs.ts'
import { noDaemon } from './command.ts'
import { describeCall } from './describe-call.ts'
import { readMcpFile } from './headless-settings.ts'
import { lookAtThread, type ThreadLook } from './live.ts'
import { readScreen } from './pane-screen.ts'

/** `⠋ codex | work`: a sign of work, and a name that is not there before Codex has opened the session (0.142 and 0.166). */
const titleFlag = '--config=tui.terminal_title=["spinner","app-name","project"]'

export const pane: PaneDriver = {
  look,
  literal,
  flags: [noDaemon, titleFlag],
  settingFlags,
  takesAllowedTools: false,
  unset: outerAgentVars,
  describeCall,
}

function look(...[env, { pid, sessionId, screen: lines, title }]: Parameters<PaneDriver['look']>): PaneLook {
  const { shows, question, composer, works, hasStatus, hasLeft } = readScreen(lines)
  if (pid === null ? hasLeft && shows !== 'composer' : !isAlive(pid)) return { ...nothing, state: 'ended', from: 'registry' }
  if (shows === 'permission' || /\bAction Required\b/.test(title)) return { ...nothing, state: 'waiting', question }
  if (shows === 'dialog') return { ...nothing, state: 'dialog', question }
  const thread = sessionId === null ? null : lookAtThread(env, sessionId)
  const isBusy = works || /^[\u2800-\u28ff] /.test(title)
  if (isBusy || isJustWriting(env, thread)) {
    return { state: 'busy', question: null, composer, from: thread?.turn === 'open' ? 'registry' : 'screen' }
  }
  // 0.166 shows a composer before it asks about hooks; it takes the thread's lock and names itself only when it is ready.
  const isOpen = thread?.isHeld ?? (hasStatus || /\bcodex\b/i.test(title))
  if (shows !== 'composer' || !isOpen) return { ...nothing, state: 'starting', composer }
  const isSure = thread !== null && thread.isHeld !== false && thread.turn === 'closed'
  return { state: 'idle', question: null, composer, from: isSure ? 'registry' : 'screen' }
}

const nothing = { question: null, composer: null, from: 'screen' } as const

/** A turn that a killed Codex left open stays open in the file: only one that is written to now is running. */
const justNowMs = 2000

function isJustWriting({ now }: AgentEnv, thread: ThreadLook | null): boolean {
  return thread?.turn === 'open' && now !== undefined && now() - thread.writtenAt < justNowMs
}

/**
 * Codex trims a prompt, so blanks disarm without changing it: one before `/` (0.142 and 0.166), one behind a last word with `@` or
 * `$`, on which Enter would choose from a list. Nothing disarms `!`: it runs the line in a shell, blanks before it or not.
 */
function literal(prompt: string): string {
  const text = prompt.replace(/\r\n?/g, '\n').trim()
  if (text === '') throw new AppError('usage', 'The prompt is empty.')
  if (text.startsWith('!')) {
    throw new AppError('usage', 'In a terminal Codex runs a prompt that begins with ! in a shell: begin with a word.')
  }
  const opened = text.startsWith('/') ? ` ${text}` : text
  return /(^|\s)[@$]\S*$/.test(text) ? `${opened} ` : opened
}

/** Who may do what is asked in the pane itself, as the person has set Codex up; without a person to ask it is refused. */
function settingFlags({ model, mcpConfig, policy }: PaneSettings): string[] {
  const modes = {
    own: [],
    ask: ['--ask-for-approval=on-request', '--sandbox=read-only'],
    accept_edits: ['--ask-for-approval=on-request', '--sandbox=workspace-write'],
    allow_list: ['--ask-for-approval=on-request', '--sandbox=read-only'],
    deny: ['--ask-for-approval=never', '--sandbox=read-only'],
  }[policy]
  return [...(model === null ? [] : [`--model=${model}`]), ...modes, ...(mcpConfig === null ? [] : mcpFlags(mcpConfig))]
}

/** Every process of the machine can read a command line: what a server needs to know has to come by the environment. */
function mcpFlags(file: string): string[] {
  return Object.entries(readMcpFile(file, null)).map(([name, server]) => `--config=${name}=${toml(server)}`)
}

/** Inline TOML; texts, numbers and lists of them are written as in JSON. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}=${toml(one)}`)
  return `{${fields.join(',')}}`
}
