// Resumes sessions with the real CLIs and compares what the model API receives with what our reader says the model has seen.
import { randomUUID } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { App } from '../../src/app.ts'
import { errorMessage } from '../../src/lib/error-message.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import type { Turn } from '../../src/model/session.ts'
import { startApi } from '../real/claude/api.ts'
import { forkRules, fromMessages } from '../real/claude/received.ts'
import { createClaude } from '../real/claude/run.ts'
import { claudeCommand, claudeVersions } from '../real/lib/agents.ts'
import { type Comparison, compareHistory, type Rule, type SeenItem } from '../real/lib/history.ts'
import type { Sandbox } from '../real/lib/sandbox.ts'
import { withFork } from './forks.ts'
import { readContext } from './reading.ts'
import type { Report } from './report.ts'

/** What a CLI does to a history of another version. */
const resumeRules: readonly Rule[] = [
  // Comes before the rule for the words that close a history: the report stands behind them.
  {
    name: 'lost task',
    reason: 'A background task that had not reported when the history ends is reported as ended by the CLI that resumes it.',
    side: 'received',
    apply: (item, _index, _all, other) =>
      item.text.startsWith('<task-notification>') && !other.some(({ text }) => text === item.text) ? undefined : item,
  },
  ...forkRules,
  {
    name: 'renamed tool',
    reason: 'The tool that starts a subagent was called Task before it was called Agent; the CLI sends its own name for it.',
    side: 'received',
    apply(item, _index, _all, other) {
      const wasTask = () => other.some(({ name, callId }) => name === 'Task' && callId === item.callId)
      return item.name === 'Agent' && wasTask() ? { ...item, name: 'Task' } : item
    },
  },
  {
    name: 'thinking',
    reason: 'The CLI does not send thinking again that no answer followed, or that another model signed.',
    side: 'ours',
    apply: (item, _index, _all, other) =>
      item.role === 'thinking' && !other.some(({ role, text }) => role === 'thinking' && text === item.text) ? undefined : item,
  },
]

const joinedMessages: Pick<Rule, 'name' | 'reason'> = {
  name: 'joined user messages',
  reason:
    'What a user sent in several blocks (text, images) is one message here; on the wire it is blocks of one message with others.',
}

export const resumeKinds = [...resumeRules, joinedMessages]

function compareRequest(ours: readonly SeenItem[], received: readonly SeenItem[]): Comparison {
  const plain = compareHistory(ours, received, resumeRules)
  if (plain.equal) return plain
  const joined = compareHistory(ours, received, resumeRules, joinUserTexts)
  return joined.equal ? { ...joined, used: new Map([...joined.used, [joinedMessages.name, 1]]) } : plain
}

function joinUserTexts(items: readonly SeenItem[]): SeenItem[] {
  const joined: SeenItem[] = []
  for (const item of items) {
    const before = joined.at(-1)
    if (item.role !== 'user' || before?.role !== 'user') joined.push(item)
    else joined[joined.length - 1] = { role: 'user', text: `${before.text}\n${item.text}` }
  }
  return joined
}

export interface Resumer {
  /** A copy of the session under another id, by every CLI. */
  source(session: CatalogSession): Promise<void>
  /** A fork at the turn, by every CLI. */
  fork(session: CatalogSession, turn: Turn): Promise<void>
}

type Version = (typeof claudeVersions)[number]

export async function createResumer(app: App, sandbox: Sandbox, report: Report): Promise<Resumer> {
  const api = await startApi(sandbox)
  const clis = new Map(claudeVersions.map((version) => [version, createClaude(sandbox, api, version, claudeCommand(version))]))

  async function resume(check: string, where: string, version: Version, sessionId: string, expected: readonly SeenItem[]) {
    const prompt = `What have we got so far, ${randomUUID()}?`
    const sent = api.requests.length
    try {
      await clis.get(version)?.print(prompt, { flags: ['--resume', sessionId] })
    } catch (error) {
      return report.note(check, where, { problem: errorMessage(error) })
    }
    const request = api.requests.slice(sent).find((each) => each.kind === 'turn' && each.prompt.endsWith(prompt))
    if (request === undefined) return report.note(check, where, { problem: 'the model was asked nothing' })
    report.noteComparison(
      check,
      where,
      compareRequest([...expected, { role: 'user', text: prompt }], fromMessages(request.messages)),
    )
  }

  return {
    async source(session) {
      const { items: expected } = await readContext(app, session)
      for (const version of claudeVersions) {
        const sessionId = randomUUID()
        const copy = join(dirname(session.path), `${sessionId}.jsonl`)
        copyFileSync(session.path, copy)
        await resume(`sources, as ${version} sends them`, session.id, version, sessionId, expected)
        rmSync(copy)
      }
    },
    async fork(session, turn) {
      const where = `${session.id}@${turn.number ?? turn.id}`
      for (const version of claudeVersions) {
        await withFork(app, session, turn, (sessionId, expected) =>
          resume(`children, as ${version} sends them`, where, version, sessionId, expected),
        )
      }
    },
  }
}
