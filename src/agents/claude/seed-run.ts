// Feeds a seed prompt to a fresh session by stdin (`-p`), so that Claude Code makes its real session file at once.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../../lib/exec.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { SeedRun } from '../forking.ts'
import { folderNameOf } from './folder-name.ts'
import { projectsFolder } from './folders.ts'

const timeoutMs = 10 * 60_000

export async function runSeed(
  env: AgentEnv,
  { promptPath, sessionId, cwd }: { readonly promptPath: string; readonly sessionId: string; readonly cwd: string },
): Promise<SeedRun> {
  const argv = ['-p', '--output-format=json', `--session-id=${sessionId}`]
  const input = readFileSync(promptPath, 'utf8')
  const run = await exec('claude', argv, { cwd, env: { ...env.vars, OFFSHOOT_INTERNAL: '1' }, timeoutMs, input })
  if (run.missing) throw new AppError('tool_missing', 'claude is not on the PATH.')
  const answer = parseAnswer(run.stdout)
  if (run.exitCode !== 0 || answer === null) {
    const said = run.timedOut ? `no answer within ${timeoutMs / 60_000} minutes` : run.stderr.trim().slice(0, 300)
    throw new AppError('failed', `Claude Code did not take the seed: ${said || answer || `exit status ${run.exitCode}`}`)
  }
  const path = join(projectsFolder(env), folderNameOf(cwd), `${sessionId}.jsonl`)
  return { sessionId, path, acknowledgement: answer }
}

function parseAnswer(stdout: string): string | null {
  try {
    const value: unknown = JSON.parse(stdout)
    const last = Array.isArray(value) ? value.at(-1) : value
    return isObject(last) && typeof last.result === 'string' ? last.result : null
  } catch {
    return null // an error text instead of a document; the caller says what happened
  }
}
