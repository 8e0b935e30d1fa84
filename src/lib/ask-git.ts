// One small question to git, in a repository nobody vouched for: nothing that its configuration names is run, nothing is fetched, nothing
// is written for convenience. Whoever does more with a repository uses `snapshots/git.ts`.
import { errorMessage } from './error-message.ts'
import { type ExecResult, exec } from './exec.ts'
import { refusePipes } from './refuse-pipes.ts'

/** What a repository could have git run, or speak to: a lacking object would be fetched from where it says (2.45 heeds the first). */
export const reachesNobody = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' }

const flags = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

export interface Question {
  readonly cwd: string
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly timeoutMs?: number
}

/** Never throws: a repository that git would wait for is a question without an answer. */
export async function askGit(args: readonly string[], { cwd, vars, timeoutMs = 5000 }: Question): Promise<ExecResult> {
  try {
    refusePipes(cwd)
  } catch (error) {
    return { stdout: '', stderr: errorMessage(error), exitCode: null, missing: false, timedOut: false }
  }
  // Inside a hook git exports GIT_DIR, GIT_INDEX_FILE and more, each of which would turn git against another repository.
  const kept = Object.entries(vars).filter(([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_CONFIG_'))
  const quiet = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
  return exec('git', [...flags, ...args], { cwd, env: { ...Object.fromEntries(kept), ...quiet, ...reachesNobody }, timeoutMs })
}
