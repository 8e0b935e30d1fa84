// The hook program behind bin/hook.js: what an agent runs at each of its turns. Silent, quick, and over in time whatever
// happens: the agent waits for it, and what it printed would reach the model.
import { parseHookEvent } from '../agents/hook-events.ts'
import type { HookEvent } from '../agents/hooks.ts'
import { resolvePaths } from '../config/paths.ts'
import { readSetting } from '../config/read.ts'
import { errorMessage } from '../lib/error-message.ts'
import { createExecGroup } from '../lib/exec-group.ts'
import { type AgentId, agentIds } from '../model/session.ts'
import { createGit, type Git } from '../snapshots/git.ts'
import { writeHookLog } from './hook-log.ts'
import { parsePayload, readInput } from './payload.ts'
import { type Recorded, recordEvent } from './record-event.ts'

export interface HookOptions {
  /** The agent's id and, from a notification, the payload. */
  readonly args: readonly string[]
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
  readonly now: () => number
  readonly stdin: () => AsyncIterable<Buffer>
  /** Starts what follows a capture, out of the agent's way. */
  readonly followUp: () => void
  readonly limitMs?: number
  readonly onStep?: (step: string) => void
}

const maxPayloadBytes = 64 << 20
const defaultLimitMs = 10_000
/** Codex gives these events 3 s at most, whatever is configured. */
const shortLimitMs = 2500

/** Never throws, never prints. */
export async function runHook(options: HookOptions): Promise<void> {
  const { vars, now } = options
  if (vars.OFFSHOOT_INTERNAL) return
  const startedAt = now()
  const agent = agentIds.find((id) => id === options.args[0])
  const { root: folder } = resolvePaths(options)
  const log = async (line: Omit<Parameters<typeof writeHookLog>[2], 'agent' | 'ms'>): Promise<void> => {
    try {
      const problem = line.problem === undefined ? {} : { problem: await withoutSecrets(line.problem) }
      writeHookLog(folder, now(), { agent: agent ?? 'unknown', ...line, ...problem, ms: now() - startedAt })
    } catch {
      // The log is the only place where a fault could be told.
    }
  }
  const limit = createLimit(options.limitMs ?? defaultLimitMs)
  // A key pressed or a terminal closed ends the agent, not the capture of what it did.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.once('SIGTERM', () => limit.end('stopped by SIGTERM'))
  let event: HookEvent | null = null
  try {
    if (agent === undefined) throw new Error('called without an agent')
    event = await limit.race(readEvent(agent, options))
    if (event === null) return
    if (options.limitMs === undefined && agent === 'codex' && isBrief(event)) limit.shorten(shortLimitMs)
    const { captured, problem } = await limit.race(record(agent, event, options, folder, limit))
    await log({ session: event.sessionId, event: event.kind, captured, ...(problem === null ? {} : { problem }) })
    // Not at a prompt: the agent has work to do then, and what was noted is taken up with the turn's end.
    if (event.kind !== 'prompt') options.followUp()
  } catch (error) {
    const problem = errorMessage(error)
    await log({ problem, ...(event === null ? {} : { session: event.sessionId, event: event.kind }) })
  } finally {
    limit.clear()
  }
}

/** Messages of git and of files name paths. Loaded only where there is a problem. */
async function withoutSecrets(problem: string): Promise<string> {
  const { redactKnown } = await import('../redact/redact.ts')
  return redactKnown(problem)
}

const isBrief = ({ kind }: HookEvent): boolean => kind === 'interrupt' || kind === 'session_end'

/** `null` for an event that is not ours. */
async function readEvent(agent: AgentId, { args, stdin }: HookOptions): Promise<HookEvent | null> {
  const text = args[1] ?? (await readInput(stdin(), maxPayloadBytes))
  if (text === null) throw new Error(`a payload of more than ${maxPayloadBytes} bytes`)
  const payload = parsePayload(text)
  if (payload === undefined) throw new Error(`a payload that is not JSON, ${text.length} characters`)
  return parseHookEvent(agent, payload)
}

async function record(agent: AgentId, event: HookEvent, options: HookOptions, folder: string, limit: Limit): Promise<Recorded> {
  const settings = await readHookSettings(options)
  if (!settings.enabled) return { captured: 0, problem: settings.problem }
  const group = createExecGroup()
  limit.onOver(group.kill)
  const git = tellSteps(createGit({ exec: group.exec, env: options.vars }), options.onStep)
  const projectFolder = options.vars.CLAUDE_PROJECT_DIR
  const recorded = await recordEvent(
    { folder, git, now: options.now, maxFileBytes: settings.maxFileBytes, ...(options.onStep ? { onStep: options.onStep } : {}) },
    { agent, event, by: 'hook', ...(projectFolder ? { otherFolder: projectFolder } : {}) },
  )
  return { ...recorded, problem: recorded.problem ?? settings.problem }
}

/** For tests that cut the hook off while git runs. */
function tellSteps(git: Git, onStep: HookOptions['onStep']): Git {
  if (onStep === undefined) return git
  return async (args, call) => {
    const running = git(args, call)
    const verb = args.find((each) => !each.startsWith('-'))
    onStep(`git ${verb} runs`)
    const result = await running
    onStep(`git ${verb} ran`)
    return result
  }
}

interface HookSettings {
  readonly enabled: boolean
  readonly maxFileBytes: number
  readonly problem: string | null
}

/** A config file with a fault in it is no reason to lose a turn. */
async function readHookSettings({ vars, ...surroundings }: HookOptions): Promise<HookSettings> {
  const sources = { file: resolvePaths({ vars, ...surroundings }).config, vars }
  try {
    const enabled = await readSetting<boolean>(sources, 'snapshots.enabled')
    const maxFileBytes = (await readSetting<number>(sources, 'snapshots.max_file_mb')) * 1024 * 1024
    return { enabled, maxFileBytes, problem: null }
  } catch (error) {
    return { enabled: true, maxFileBytes: 50 * 1024 * 1024, problem: errorMessage(error) }
  }
}

interface Limit {
  race<T>(work: Promise<T>): Promise<T>
  shorten(limitMs: number): void
  end(reason: string): void
  onOver(stop: () => void): void
  clear(): void
}

function createLimit(limitMs: number): Limit {
  const stops: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let give: (error: Error) => void = () => undefined
  const over = new Promise<never>((_, reject) => {
    give = reject
  })
  over.catch(() => undefined) // Nobody may be waiting when it comes.
  const end = (reason: string): void => {
    for (const stop of stops) stop()
    give(new Error(reason))
  }
  const set = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => end(`gave up after ${ms} ms`), ms)
  }
  set(limitMs)
  return {
    race: (work) => Promise.race([work, over]),
    shorten: set,
    end,
    onOver: (stop) => stops.push(stop),
    clear: () => clearTimeout(timer),
  }
}
