// The environment in which offshoot finds the version under test as the `codex` on the PATH.
import { symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { AgentEnv } from '../../../src/agents/agent-env.ts'
import type { CodexHome } from '../codex/home.ts'

let count = 0

export function envWith(home: CodexHome): AgentEnv {
  count += 1
  const bin = home.sandbox.folder(`bin-${count}`)
  symlinkSync(home.binary, join(bin, 'codex'))
  return { home: home.sandbox.home, vars: { ...home.env, PATH: `${bin}${delimiter}${home.env.PATH}` } }
}
