// Feeds a seed prompt to a fresh thread by stdin (`codex exec -`), so that Codex makes its rollout at once. Codex chooses the
// thread's id and names it in its first event.
import { readFileSync } from 'node:fs'
import { exec } from '../../lib/exec.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { SeedRun } from '../forking.ts'
import { type Body, textOrNull } from './lines.ts'
import { findRollout } from './rollout-files.ts'

const timeoutMs = 10 * 60_000

export async function runSeed(
  env: AgentEnv,
  { promptPath, cwd }: { readonly promptPath: string; readonly cwd: string },
): Promise<SeedRun> {
  const argv = ['exec', '--json', '--skip-git-repo-check', `--cd=${cwd}`, '-']
  const input = readFileSync(promptPath, 'utf8')
  const run = await exec('codex', argv, { cwd, env: { ...env.vars, OFFSHOOT_INTERNAL: '1' }, timeoutMs, input })
  if (run.missing) throw new AppError('tool_missing', 'codex is not on the PATH.')
  const events = run.stdout.split('\n').flatMap(parseEvent)
  const sessionId = textOrNull(events.find(({ type }) => type === 'thread.started')?.thread_id)
  const answer = events.map(answerOf).findLast((text) => text !== null)
  if (run.exitCode !== 0 || sessionId === null || answer === undefined || answer === null) {
    const said = run.timedOut ? `no answer within ${timeoutMs / 60_000} minutes` : (failureOf(events) ?? run.stderr.trim())
    throw new AppError('failed', `Codex did not take the seed: ${said.slice(0, 300) || `exit status ${run.exitCode}`}`)
  }
  const file = findRollout(sessionId, env)
  if (file === undefined) throw new AppError('failed', `Codex took the seed, but left no file of its thread ${sessionId}.`)
  return { sessionId, path: file.path, acknowledgement: answer }
}

function parseEvent(line: string): Body[] {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? [value] : []
  } catch {
    return [] // no event: what matters is asked for by name
  }
}

function answerOf({ type, item }: Body): string | null {
  return type === 'item.completed' && isObject(item) && item.type === 'agent_message' ? textOrNull(item.text) : null
}

function failureOf(events: readonly Body[]): string | null {
  const failed = events.findLast(({ type }) => type === 'turn.failed')?.error
  return isObject(failed) ? textOrNull(failed.message) : null
}
