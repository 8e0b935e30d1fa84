// What Claude Code does in a terminal pane: from its own registry first, from the screen last.
import { isAlive } from '../../lib/is-alive.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { outerAgentVars } from '../outer-agent.ts'
import type { PaneDriver, PaneLook, PaneSettings } from '../runs.ts'
import { describeCall } from './headless-permissions.ts'
import { isBelow, type RegistryEntry, readEntryOf, readRegistry } from './live.ts'
import { type PaneScreen, readScreen } from './pane-screen.ts'
import { modeFlags, type PermissionModes } from './permission-mode.ts'

export const pane: PaneDriver = {
  look,
  literal,
  flags: [],
  settingFlags,
  takesAllowedTools: true,
  unset: outerAgentVars,
  describeCall,
}

/** 2.1.197 writes what it does half a second after its entry, and loses an Enter sent before; older ones never write it. */
const statusComesWithinMs = 10_000

function look(...[env, { pid, sessionId, screen: lines }]: Parameters<PaneDriver['look']>): PaneLook {
  const screen = readScreen(lines)
  if (pid !== null && !isAlive(pid)) return { state: 'ended', question: null, composer: null, from: 'registry' }
  const entry = findEntry(env, pid, sessionId)
  const { composer, question } = screen
  if (entry?.status != null) return told(entry, screen)
  // 2.1.197 draws its composer 0.3 s before it has an entry, and takes no Enter yet.
  const isEarly = entry === undefined ? sessionId !== null : isYoung(env, entry)
  return { state: screen.state === 'idle' && isEarly ? 'starting' : screen.state, question, composer, from: 'screen' }
}

/** Of the process, of one below it (a shell of the person's own runs it), or of the session. */
function findEntry(env: AgentEnv, pid: number | null, sessionId: string | null): RegistryEntry | undefined {
  const own = pid === null ? undefined : readEntryOf(env, pid)
  if (own !== undefined) return own
  const entries = readRegistry(env)
  const below = pid === null ? undefined : entries.find((one) => isBelow(one.pid, pid))
  return below ?? entries.find((one) => one.sessionId === sessionId)
}

function isYoung(env: AgentEnv, { startedAt }: RegistryEntry): boolean {
  return startedAt !== null && env.now !== undefined && env.now() - startedAt < statusComesWithinMs
}

/**
 * The registry and the screen follow each other by some 30 ms, either way: a dialog that one of them tells of counts, since an
 * Enter sent now would answer it.
 */
function told({ status, waitingFor }: RegistryEntry, screen: PaneScreen): PaneLook {
  const asks = screen.state === 'waiting' || screen.state === 'dialog'
  if (status === 'waiting') {
    const state = waitingFor === 'permission prompt' || screen.state === 'waiting' ? 'waiting' : 'dialog'
    return { state, question: screen.question ?? waitingFor, composer: null, from: 'registry' }
  }
  if (asks) return { ...screen, from: 'screen' }
  // 2.1.197 goes on saying idle for half a second after it has begun the prompt it was started with.
  if (status === 'idle' && screen.state === 'busy') return { ...screen, from: 'screen' }
  return { state: status === 'idle' ? 'idle' : 'busy', question: null, composer: screen.composer, from: 'registry' }
}

/** These leave Claude Code when they are the whole prompt (2.1.325: all of them, 2.1.197: most). */
const leaves = /^(exit|quit|:q!?|:wq!?)$/i

/**
 * A blank disarms `!`; nothing that keeps the text disarms `/` (2.1.325 does not even take a zero-width character before it).
 * A path is none: only a first word without a further slash is taken for a command.
 */
function literal(prompt: string): string {
  const text = prompt.replace(/\r\n?/g, '\n')
  if (text.trim() === '') throw new AppError('usage', 'The prompt is empty.')
  if (/^\s*\/[^\s/]*(\s|$)/.test(text)) {
    throw new AppError('usage', 'In a terminal Claude Code takes a prompt that begins with / for a command: begin with a word.')
  }
  if (leaves.test(text.trim()))
    throw new AppError('usage', `Claude Code takes "${text.trim()}" for a command to leave: say more.`)
  // A backslash at the end makes Enter a new line.
  const closed = text.endsWith('\\') ? `${text} ` : text
  return closed.startsWith('!') ? ` ${closed}` : closed
}

const modes: PermissionModes = { ask: 'default', accept_edits: 'acceptEdits', allow_list: 'dontAsk', deny: 'dontAsk' }

/** Who may do what is asked in the pane itself; without a person to ask, what is not allowed is refused. */
function settingFlags({ model, mcpConfig, policy, allow }: PaneSettings): string[] {
  return [
    ...(model === null ? [] : [`--model=${model}`]),
    ...(mcpConfig === null ? [] : [`--mcp-config=${mcpConfig}`]),
    ...modeFlags(policy, modes),
    ...(policy === 'allow_list' ? allow.map((tool) => `--allowedTools=${tool}`) : []),
  ]
}
