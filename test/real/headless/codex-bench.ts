// A place to hold conversations with the real Codex: its home, its stand-in API, and servers that end with it.
import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import type { AgentEnv } from '../../../src/agents/agent-env.ts'
import { converse } from '../../../src/agents/codex/headless.ts'
import { createServers, type Servers } from '../../../src/agents/codex/headless-servers.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { Conversation, ConversationRequest } from '../../../src/agents/runs.ts'
import type { Decision, PermissionRequest, RunEvent } from '../../../src/model/run.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { codexRules, fromReader, historyBefore } from '../codex/received.ts'
import { envWith } from '../fork/codex-env.ts'
import type { CodexVersion } from '../lib/agents.ts'
import { compareHistory, type SeenItem } from '../lib/history.ts'

export interface Bench {
  readonly home: CodexHome
  readonly env: AgentEnv
  /** A conversation in a server of `servers`: those of this bench unless told. */
  open(request?: Partial<ConversationRequest>, servers?: Servers): Promise<Conversation>
  /** What our reader says the model has seen of a session. */
  context(sessionId: string): Promise<SeenItem[]>
  /** The request that carried this prompt shows exactly this history before it. */
  expectHistory(sessionId: string, prompt: string, history: readonly SeenItem[]): void
  file(sessionId: string): SessionFile
}

export async function withBench(version: CodexVersion, use: (bench: Bench) => Promise<void>): Promise<void> {
  const home = await createCodexHome(version)
  const env = { ...envWith(home), now: Date.now }
  const own = createServers()
  const opened: Conversation[] = []
  const file = (sessionId: string): SessionFile => {
    const found = [...codex.discover(env)].find(({ id }) => id === sessionId)
    if (found === undefined) throw new Error(`${sessionId} left no file`)
    return found
  }
  try {
    await use({
      home,
      env,
      file,
      open: async (request = {}, servers = own) => {
        const conversation = await converse(servers, env, { ...defaults, cwd: home.work, ...request })
        opened.push(conversation)
        return conversation
      },
      context: (sessionId) => fromReader(codex.read(file(sessionId), env, { view: 'context' })),
      expectHistory: (sessionId, prompt, history) => {
        const asks = (text: string) => home.api.requestsOf(sessionId).find(({ input }) => lastText(input) === text)
        const request = asks(prompt)
        if (request === undefined) throw new Error(`nobody sent ${prompt} in ${sessionId}`)
        const prompts = new Set(history.filter(({ role }) => role === 'user').map(({ text }) => text))
        expect(compareHistory(history, historyBefore(request.input, prompts), codexRules).diff).toBe('')
      },
    })
  } finally {
    await Promise.all(opened.map((conversation) => conversation.close()))
    await home.dispose()
  }
}

const defaults: Omit<ConversationRequest, 'cwd'> = {
  begin: { kind: 'start', sessionId: 'not asked for' },
  model: null,
  env: {},
  mcpConfig: null,
  flags: [],
  policy: 'own',
}

function lastText(input: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  return promptsIn(input).at(-1)
}

/** Texts under the role of the user, as they were sent. */
export function promptsIn(input: readonly Readonly<Record<string, unknown>>[]): string[] {
  return input
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (Array.isArray(content) ? content : []).map(({ text }: { text?: unknown }) => String(text)))
}

export interface Answers {
  readonly on?: (event: RunEvent) => unknown
  /** Answers every question the turn asks. */
  readonly decide?: (request: PermissionRequest) => Decision
  readonly signal?: AbortSignal
}

/** All events of one turn; its last must be the end. */
export async function ask(conversation: Conversation, prompt: string, { on, decide, signal }: Answers = {}): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of conversation.send(prompt, signal === undefined ? {} : { signal })) {
    events.push(event)
    on?.(event)
    if (event.kind === 'permission' && decide !== undefined) await conversation.answer(event.request.id, decide(event.request))
  }
  expect(events.filter(({ kind }) => kind === 'end')).toHaveLength(1)
  expect(events.at(-1)?.kind).toBe('end')
  return events
}

export function of<K extends RunEvent['kind']>(events: readonly RunEvent[], kind: K): Extract<RunEvent, { kind: K }>[] {
  return events.filter((event): event is Extract<RunEvent, { kind: K }> => event.kind === kind)
}

export function outcome(events: readonly RunEvent[]): string | undefined {
  return of(events, 'end')[0]?.outcome
}

export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}
