// Capturing without the rest of the app: on a catalogue, a store and a clock of the test's own.
import { builtinAgents } from '../../src/agents/index.ts'
import type { CaptureContext } from '../../src/capture/context.ts'
import { exec } from '../../src/lib/exec.ts'
import { nothingRecovered } from '../../src/model/fork.ts'
import { nameParameter } from '../../src/model/option-names.ts'
import { createGit } from '../../src/snapshots/git.ts'
import type { Sandbox } from '../fork/sandbox.ts'

export function captureContext(sandbox: Sandbox, now: () => number = Date.now): CaptureContext {
  const vars = { PATH: process.env.PATH, HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome }
  const catalog = sandbox.catalog({ vars, now })
  return {
    agents: builtinAgents,
    env: { home: sandbox.home, vars, now },
    folder: sandbox.offshootHome,
    cwd: sandbox.root,
    now,
    exec,
    git: createGit({ exec, env: vars }),
    store: catalog.store,
    catalog,
    maxFileBytes: async () => 1 << 20,
    keepDays: async () => 30,
    nameOption: nameParameter,
    hasHooks: async () => false,
    keepWorkspaceDays: async () => 7,
    recoverFirst: async () => nothingRecovered,
  }
}
