// A sandbox in which headless conversations with the real Claude Code are held: `claude` on the PATH is the version under test,
// the model is the stand-in.
import { randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEnv } from '../../../src/agents/agent-env.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import type { Conversation, ConversationRequest } from '../../../src/agents/runs.ts'
import type { Decision, PermissionRequest, RunEvent } from '../../../src/model/run.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { claudeVars } from '../claude/run.ts'
import { type ClaudeVersion, claudeCommand } from '../lib/agents.ts'

export interface HeadlessBench extends Bench {
  readonly version: ClaudeVersion
  readonly env: AgentEnv
  /** Opens a conversation; a new session unless told. Closed when the bench is disposed of. */
  open(begin?: ConversationRequest['begin'], more?: Partial<ConversationRequest>): Promise<Conversation>
  dispose(): Promise<void>
}

export async function createHeadlessBench(version: ClaudeVersion, claudeConfigDir = false): Promise<HeadlessBench> {
  const bench = await createBench(version, { claudeConfigDir })
  const { sandbox, api } = bench
  const bin = sandbox.folder('bin')
  symlinkSync(claudeCommand(version)[0] ?? '', join(bin, 'claude'))
  const vars = {
    ...sandbox.env,
    PATH: `${bin}:${sandbox.env.PATH}`,
    ...claudeVars(api),
    // As if offshoot itself ran inside an agent.
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: 'of-an-outer-one',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    OFFSHOOT_INTERNAL: '1',
  }
  const env: AgentEnv = { home: sandbox.home, vars, now: Date.now }
  const opened: Conversation[] = []
  return {
    ...bench,
    version,
    env,
    async open(begin = { kind: 'start', sessionId: randomUUID() }, more = {}) {
      const { converse } = await claude.runs()
      const request = {
        begin,
        cwd: sandbox.work,
        model: null,
        env: {},
        mcpConfig: null,
        flags: [],
        policy: 'own' as const,
        ...more,
      }
      const conversation = await converse(env, request)
      opened.push(conversation)
      return conversation
    },
    async dispose() {
      await Promise.all(opened.map((one) => one.close()))
      await sandbox.dispose()
    },
  }
}

export type Kind<K extends RunEvent['kind']> = Extract<RunEvent, { kind: K }>

export function ofKind<K extends RunEvent['kind']>(events: readonly RunEvent[], kind: K): Kind<K>[] {
  return events.filter((event): event is Kind<K> => event.kind === kind)
}

/** The whole turn; `answer` is asked for every permission request, and `on` told of every event. */
export async function listen(
  conversation: Conversation,
  prompt: string,
  answer?: (request: PermissionRequest) => Decision,
  on?: (event: RunEvent) => void,
): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of conversation.send(prompt)) {
    events.push(event)
    on?.(event)
    if (event.kind === 'permission' && answer !== undefined) await conversation.answer(event.request.id, answer(event.request))
  }
  return events
}
