// Both agents, each with its stand-in API, in one sandbox, and the app beside them as a person has it: CLIs on the PATH.
import { symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type App, createApp } from '../../../src/app.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { claudeVars } from '../claude/run.ts'
import { codexBinary } from '../codex/binary.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { type ClaudeVersion, type CodexVersion, claudeCommand } from '../lib/agents.ts'

export interface AppBench {
  readonly claude: Bench
  readonly codex: CodexHome
  readonly app: App
  /** The whole environment of a person's shell there. */
  readonly vars: Readonly<Record<string, string>>
  dispose(): Promise<void>
}

export async function createAppBench(claudeVersion: ClaudeVersion, codexVersion: CodexVersion): Promise<AppBench> {
  const claude = await createBench(claudeVersion)
  const { sandbox, api } = claude
  const codex = await createCodexHome(codexVersion, sandbox)
  const bin = sandbox.folder('bin')
  symlinkSync(claudeCommand(claudeVersion)[0] ?? '', join(bin, 'claude'))
  symlinkSync(codexBinary(codexVersion), join(bin, 'codex'))
  const vars = {
    ...codex.env,
    PATH: `${bin}${delimiter}${sandbox.env.PATH}`,
    ...claudeVars(api),
  }
  const app = createApp({ home: sandbox.home, vars, cwd: sandbox.work, now: Date.now })
  sandbox.onDispose(() => app.close())
  return { claude, codex, app, vars, dispose: () => sandbox.dispose() }
}
