// Both agents in one sandbox with our hooks installed the way a person does it, and the looks at the repository that every
// test here takes.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AgentId } from '../../../src/model/session.ts'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { copyOf } from '../../git/copy-of.ts'
import { type AppBench, createAppBench } from '../fork/app-bench.ts'
import type { ClaudeVersion, CodexVersion } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import type { RunResult } from '../lib/processes.ts'

export interface CaptureBench extends AppBench {
  readonly work: string
  /** `offshoot` as a process; one that fails throws with what it said. */
  offshoot(...args: string[]): Promise<RunResult>
  git(...args: string[]): string
}

export interface Versions {
  readonly claude: ClaudeVersion
  readonly codex: CodexVersion
}

export const newest: Versions = { claude: '2.1.325', codex: '0.166.0' }
export const oldest: Versions = { claude: '2.1.197', codex: '0.142.0' }

/** Each agent in each version; without the whole matrix, the newest Codex. */
export const agentRuns = (wholeMatrix ? [newest, oldest] : [newest]).flatMap((versions) =>
  (wholeMatrix ? (['claude', 'codex'] as const) : (['codex'] as const)).map((agent) => ({
    agent,
    versions,
    version: versions[agent],
  })),
)

const program = fileURLToPath(new URL('../../../bin/offshoot.js', import.meta.url))
const built = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** Ends with nothing of its own still running. */
export async function withBench(versions: Versions, use: (bench: CaptureBench) => Promise<void>): Promise<void> {
  if (!existsSync(built)) throw new Error('build first: npm run build')
  const bench = await createAppBench(versions.claude, versions.codex)
  const { sandbox } = bench.claude
  const offshoot = async (...args: string[]) => {
    const done = await sandbox.processes.run([process.execPath, program, ...args], { cwd: sandbox.work, env: bench.vars })
    if (done.code !== 0) throw new Error(`offshoot ${args.join(' ')} ended with ${done.code}\n${done.stdout}\n${done.stderr}`)
    return done
  }
  try {
    await use({ ...bench, work: sandbox.work, offshoot, git: (...args) => sandbox.git(sandbox.work, ...args) })
  } finally {
    await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
    await bench.dispose()
  }
}

/** Names of all snapshots, or of one session's. */
export function snapshotRefs({ git }: CaptureBench, agent?: AgentId, sessionId?: string): string[] {
  const under = ['refs/offshoot', agent, sessionId].filter((part) => part !== undefined).join('/')
  return git('for-each-ref', '--format=%(refname)', `${under}/`)
    .split('\n')
    .filter((ref) => ref !== '')
}

/** Every file of a work tree that git does not ignore. */
export function filesOf({ claude }: AppBench, root: string): Record<string, string> {
  const ignored = claude.sandbox.git(root, 'ls-files', '-z', '--others', '--ignored', '--exclude-standard').split('\0')
  return Object.fromEntries(Object.entries(copyOf(root)).filter(([path]) => !ignored.includes(path)))
}
