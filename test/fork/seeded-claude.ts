// Claude Code as far as a seed goes: takes the prompt from its file and keeps it in a session of its own, with an answer.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import type { AgentEnv } from '../../src/agents/agent-env.ts'
import { claude } from '../../src/agents/claude/index.ts'
import type { SeededSession, SeedRequest } from '../../src/agents/inert.ts'

export interface SeenSeed extends SeedRequest {
  readonly prompt: string
  readonly mode: number
}

/** Each text is one more answer. */
export function seededClaude(seen: SeenSeed[], answer: readonly string[] | Error = ['Ready.']): Agent {
  async function seed(env: AgentEnv, request: SeedRequest): Promise<SeededSession> {
    const { promptPath, sessionId, cwd } = request
    const prompt = readFileSync(promptPath, 'utf8')
    seen.push({ ...request, prompt, mode: statSync(promptPath).mode & 0o777 })
    const folder = join(env.home, '.claude', 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'))
    mkdirSync(folder, { recursive: true })
    const path = join(folder, `${sessionId}.jsonl`)
    const common = { isSidechain: false, userType: 'external', cwd, sessionId, version: '2.1.325', gitBranch: 'main' }
    const lines: Record<string, unknown>[] = []
    const add = (type: string, message: object) => {
      const parentUuid = lines.at(-1)?.uuid ?? null
      lines.push({ ...common, parentUuid, type, message, uuid: randomUUID(), timestamp: new Date().toISOString() })
    }
    add('user', { role: 'user', content: prompt })
    for (const [at, text] of (answer instanceof Error ? [] : answer).entries()) {
      const content = [{ type: 'text', text }]
      add('assistant', { id: `msg_${at}`, type: 'message', role: 'assistant', content, stop_reason: 'end_turn' })
    }
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    if (answer instanceof Error) throw answer
    return { sessionId, path }
  }
  return {
    ...claude,
    abilities: async () => ({
      ...{ installed: true, version: '2.1.325', path: '/bin/claude', fork: true, forkAtTurn: true, hooks: true },
      problem: null,
    }),
    inert: async () => ({ seed }),
  }
}
