// Resumes sessions with the real CLIs and compares what the model API receives with what our reader says the model has seen.
import { randomUUID } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorMessage } from '../../src/lib/error-message.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import type { ApiStandIn } from '../real/claude/api.ts'
import { forkRules, fromMessages } from '../real/claude/received.ts'
import { createClaude } from '../real/claude/run.ts'
import { claudeVersions } from '../real/lib/agents.ts'
import { compareHistory, type Rule, type SeenItem } from '../real/lib/history.ts'
import type { Sandbox } from '../real/lib/sandbox.ts'
import type { Report } from './report.ts'

/** What a CLI does to a history of another version. */
export const resumeRules: readonly Rule[] = [
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

export interface Resumed {
  readonly sessionId: string
  readonly expected: readonly SeenItem[]
  readonly where: string
}

export interface Resumer {
  /** A copy of the session under another id, by every CLI. */
  source(session: CatalogSession, expected: readonly SeenItem[]): Promise<void>
  /** The session itself, by the CLI of this version: it is written on. */
  child(version: (typeof claudeVersions)[number], child: Resumed): Promise<void>
}

export function createResumer(sandbox: Sandbox, api: ApiStandIn, report: Report): Resumer {
  const clis = new Map(claudeVersions.map((version) => [version, createClaude(sandbox, api, version)]))

  async function resume(what: string, version: (typeof claudeVersions)[number], { sessionId, expected, where }: Resumed) {
    const check = `${what}, as ${version} sends them`
    const prompt = `What have we got so far, ${randomUUID()}?`
    const sent = api.requests.length
    try {
      await clis.get(version)?.print(prompt, { flags: ['--resume', sessionId] })
    } catch (error) {
      return report.note(check, where, { problem: errorMessage(error) })
    }
    const request = api.requests.slice(sent).find((each) => each.kind === 'turn' && each.prompt.endsWith(prompt))
    if (request === undefined) return report.note(check, where, { problem: 'the model was asked nothing' })
    const ours: SeenItem[] = [...expected, { role: 'user', text: prompt }]
    report.noteComparison(check, where, compareHistory(ours, fromMessages(request.messages), resumeRules))
  }

  return {
    async source({ id, path }, expected) {
      for (const version of claudeVersions) {
        const sessionId = randomUUID()
        const copy = join(dirname(path), `${sessionId}.jsonl`)
        copyFileSync(path, copy)
        await resume('sources', version, { sessionId, expected, where: id })
        rmSync(copy)
      }
    },
    child: (version, child) => resume('children', version, child),
  }
}
