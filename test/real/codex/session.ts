// For tests of other parts: a real Codex session in a few lines.
//
//   const { home, threadId, path } = await makeCodexSession({ prompts: ['Look around [[shell: ls]]', 'And now?'] })
//   ... codex.discover(home.sandbox.agentEnv) ...
//   await home.dispose()
import type { CodexVersion } from '../lib/agents.ts'
import type { Sandbox } from '../lib/sandbox.ts'
import { execNew, execResume } from './exec.ts'
import { type CodexHome, createCodexHome } from './home.ts'
import { rolloutsOf } from './rollouts.ts'

export interface CodexSession {
  readonly home: CodexHome
  readonly threadId: string
  readonly path: string
}

export interface CodexSessionOptions {
  readonly version?: CodexVersion
  /** One turn each; directives as in answer.ts. */
  readonly prompts: readonly string[]
  /** Another session in the same home. */
  readonly home?: CodexHome
  /** A sandbox that is shared with another agent; it is the sandbox then that has to be disposed. */
  readonly sandbox?: Sandbox
  readonly cwd?: string
}

export async function makeCodexSession(options: CodexSessionOptions): Promise<CodexSession> {
  const { version = '0.166.0', prompts } = options
  const home = options.home?.as(version) ?? (await createCodexHome(version, options.sandbox))
  const where = options.cwd === undefined ? {} : { cwd: options.cwd }
  const [first = 'Hello', ...rest] = prompts
  const threadId = await execNew(home, first, where)
  for (const prompt of rest) await execResume(home, threadId, prompt, where)
  const [path] = rolloutsOf(home, threadId)
  if (path === undefined) throw new Error(`${threadId} left no file`)
  return { home, threadId, path }
}
