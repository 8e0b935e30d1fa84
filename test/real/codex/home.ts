// One isolated Codex: a sandbox, the config.toml for running offline and a stand-in API of its own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodexVersion } from '../lib/agents.ts'
import { createSandbox, type Sandbox } from '../lib/sandbox.ts'
import { type CodexApi, startCodexApi } from './api.ts'
import { codexBinary } from './binary.ts'
import { apiKeyName, configToml } from './config.ts'

export interface CodexHome {
  readonly version: CodexVersion
  readonly binary: string
  readonly sandbox: Sandbox
  readonly api: CodexApi
  /** CODEX_HOME. */
  readonly folder: string
  /** Where sessions are started unless a scenario says otherwise. */
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  /** The same home used by another version of the CLI. */
  as(version: CodexVersion): CodexHome
  dispose(): Promise<void>
}

export async function createCodexHome(version: CodexVersion, sandbox: Sandbox = createSandbox()): Promise<CodexHome> {
  const api = await startCodexApi()
  sandbox.onDispose(() => api.close())
  const folder = join(sandbox.home, '.codex')
  writeFileSync(join(folder, 'config.toml'), configToml(api.url, sandbox.work))
  const env = { ...sandbox.env, [apiKeyName]: 'none' }
  const homeOf = (used: CodexVersion): CodexHome => ({
    version: used,
    binary: codexBinary(used),
    sandbox,
    api,
    folder,
    work: sandbox.work,
    env,
    as: homeOf,
    dispose: () => sandbox.dispose(),
  })
  return homeOf(version)
}
