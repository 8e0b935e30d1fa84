// An agent with a machine interface and nothing behind it: what it does is said by the prompt. The real ones are in test/real.
import type { Agent } from '../../src/agents/agent.ts'
import { noAbilities } from '../../src/agents/agent-env.ts'
import { claude } from '../../src/agents/claude/index.ts'
import type { Conversation } from '../../src/agents/runs.ts'
import { AppError } from '../../src/model/error.ts'
import type { Decision, PermissionRequest, RunEvent, RunOutcome } from '../../src/model/run.ts'

const question: PermissionRequest = {
  id: 'q-1',
  tool: 'Bash',
  kind: 'command',
  summary: 'touch x',
  arguments: { command: 'touch x' },
  callId: 'c-1',
  canRemember: false,
}

const questions: PermissionRequest = {
  id: 'q-1',
  tool: 'AskUserQuestion',
  kind: 'question',
  summary: 'Which one? / And why?',
  arguments: {},
  callId: 'c-1',
  canRemember: false,
  questions: [
    {
      key: 'Which one?',
      text: 'Which one?',
      options: [
        { label: 'Blue', description: 'like the sea' },
        { label: 'Green', description: null },
      ],
      isMultiple: false,
      takesText: false,
      isRequired: true,
      isSecret: false,
    },
    { key: 'why', text: 'And why?', options: [], isMultiple: false, takesText: true, isRequired: true, isSecret: false },
  ],
}

function converse(sessionId: string): Conversation {
  let decided: ((decision: Decision) => void) | undefined
  let stop: (() => void) | undefined
  let end: ((how: { status: number; signal: null; error: null }) => void) | undefined
  const ended = new Promise<{ status: number; signal: null; error: null }>((resolve) => {
    end = resolve
  })
  return {
    sessionId,
    pid: process.pid,
    ended,
    async *send(prompt): AsyncGenerator<RunEvent> {
      const stopped = new Promise<'interrupted'>((resolve) => {
        stop = () => resolve('interrupted')
      })
      let outcome: RunOutcome = 'complete'
      let answer = `Answer to: ${prompt}`
      yield { kind: 'started', sessionId, turnId: 't', model: 'none' }
      if (prompt === 'hang') outcome = await stopped
      if (prompt === 'ask' || prompt === 'question') {
        const asked = new Promise<Decision>((resolve) => {
          decided = resolve
        })
        yield { kind: 'permission', request: prompt === 'ask' ? question : questions }
        const { verdict, reason = '', answers } = await asked
        yield { kind: 'permission_resolved', requestId: question.id, verdict }
        answer = answers === undefined ? `${verdict} ${reason}`.trim() : JSON.stringify(answers)
      }
      if (outcome === 'complete') {
        yield { kind: 'text', delta: answer }
        yield { kind: 'message', messageId: 'm', text: answer }
      }
      yield { kind: 'end', outcome, error: null }
    },
    async interrupt() {
      stop?.()
    },
    async answer(requestId, decision) {
      if (decided === undefined || requestId !== question.id) throw new AppError('permission_not_found', 'Nothing is asked.')
      decided(decision)
      decided = undefined
    },
    async close() {
      stop?.()
      end?.({ status: 0, signal: null, error: null })
    },
  }
}

export const talkingAgent: Agent = {
  ...claude,
  live: () => [],
  abilities: async () => ({ ...noAbilities, installed: true, version: '1', fork: true, forkAtTurn: true }),
  runs: async () => ({ ...(await claude.runs()), converse: async (_, { begin }) => converse(begin.sessionId) }),
}
