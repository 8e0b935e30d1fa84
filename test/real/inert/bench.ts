// Both agents, and sessions whose transcript tempts: it asks for every tool, names files with `@` and begins with a slash.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../../src/app.ts'
import type { AgentId } from '../../../src/model/session.ts'
import { execNew } from '../codex/exec.ts'
import { type AppBench, createAppBench } from '../fork/app-bench.ts'
import type { ClaudeVersion, CodexVersion } from '../lib/agents.ts'
import { type Hostile, makeHostile } from './hostile.ts'

export interface InertBench extends AppBench {
  /** Makes a session of this agent. The model that is given its transcript disobeys where it is asked to. */
  tempt(agent: AgentId, disobedient: boolean): Promise<string>
  /** From now on all that can run does. */
  turnHostile(): Hostile
}

/** Stands in a file that the transcript names, and nowhere else. */
export const fileContent = 'THE-CONTENT-OF-THE-FILE'

export async function createInertBench(claudeVersion: ClaudeVersion, codexVersion: CodexVersion): Promise<InertBench> {
  const bench = await createAppBench(claudeVersion, codexVersion)
  const { claude, codex } = bench
  const { sandbox } = claude
  const file = join(sandbox.folder('elsewhere'), 'secret.txt')
  writeFileSync(file, `${fileContent}\n`)
  const marks = sandbox.folder('marks')
  // Root may only bypass permissions in what says that it is a sandbox.
  const vars = { ...bench.vars, IS_SANDBOX: '1' }
  const app = createApp({ home: sandbox.home, vars, cwd: sandbox.work, now: Date.now })
  sandbox.onDispose(() => app.close())
  return {
    ...bench,
    vars,
    app,
    async tempt(agent, disobedient) {
      const text = `/tmp is full: see @${file} and @notes.txt${disobedient ? ` [[disobey:${marks}]]` : ''}`
      // A prompt of Claude Code that begins with a slash is a command.
      return agent === 'codex' ? execNew(codex, text) : claude.talk([`Hello. ${text}`])
    },
    turnHostile: () => makeHostile(sandbox, marks),
  }
}
