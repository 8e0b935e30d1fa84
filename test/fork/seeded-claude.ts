// Claude Code as far as a seed goes: takes the prompt from its file and keeps it in a session of its own, with an answer.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import { claude } from '../../src/agents/claude/index.ts'

export interface SeenSeed {
  prompt: string
  mode: number
}

export function seededClaude(seen: SeenSeed[], answer: string | Error = 'Ready.'): Agent {
  return {
    ...claude,
    abilities: async () => ({
      ...{ installed: true, version: '2.1.325', path: '/bin/claude', fork: true, forkAtTurn: true, hooks: true },
      problem: null,
    }),
    async runSeed(env, { promptPath, sessionId, cwd }) {
      const prompt = readFileSync(promptPath, 'utf8')
      seen.push({ prompt, mode: statSync(promptPath).mode & 0o777 })
      const folder = join(env.home, '.claude', 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'))
      mkdirSync(folder, { recursive: true })
      const path = join(folder, `${sessionId}.jsonl`)
      const common = { isSidechain: false, userType: 'external', cwd, sessionId, version: '2.1.325', gitBranch: 'main' }
      const uuid = randomUUID()
      const timestamp = new Date().toISOString()
      const lines: unknown[] = [
        { ...common, parentUuid: null, type: 'user', message: { role: 'user', content: prompt }, uuid, timestamp },
      ]
      if (typeof answer === 'string') {
        const message = {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [{ type: 'text', text: answer }],
          stop_reason: 'end_turn',
        }
        lines.push({ ...common, parentUuid: uuid, type: 'assistant', message, uuid: randomUUID(), timestamp })
      }
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      if (typeof answer !== 'string') throw answer
      return { sessionId, path, acknowledgement: answer }
    },
  }
}
