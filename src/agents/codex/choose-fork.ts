// How a cut of a Codex thread is best forked. The app-server forks at any finished turn of the live chain (0.150 and later; 0.142
// only the whole thread), the rest is copied into a rollout of our own.
import { isObject } from '../../lib/jsonl.ts'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { ForkChoice, ForkCircumstances } from '../forking.ts'
import { type ForkPoint, findForkPoint, hasOwnId, refuseRunning } from './fork-point.ts'
import { isPaginated } from './read.ts'

export async function chooseFork(
  source: SessionFile,
  env: AgentEnv,
  cut: Cut,
  circumstances: ForkCircumstances,
): Promise<ForkChoice> {
  const point = await findForkPoint(source, env, cut)
  if (point.isOpen && circumstances.busy) refuseRunning(source, point)
  const obstacle = whyNotNative(source, cut, point) ?? whyNotAble(cut, point, circumstances)
  if (obstacle !== null) return { strategy: 'prefix', reason: obstacle }
  return { strategy: 'native', reason: 'Codex itself forks after a finished turn' }
}

/** What of the thread keeps Codex from forking it as wanted; `null` when nothing does. */
export function whyNotNative(source: SessionFile, cut: Cut, point: ForkPoint): string | null {
  const { turn } = point
  const packed = point.branch.history.parts.some(({ path }) => path.endsWith('.zst'))
  if (cut.kind === 'start' || turn === null) return 'nothing is kept, and Codex itself forks only after a turn'
  if (point.isMidTurn) return 'Codex itself forks only after a whole turn'
  if (point.isOpen) return 'the turn was cut off, and Codex itself forks only after a finished one'
  if (point.isDead) return 'the turn is on a branch that was left, and Codex itself forks only the live one'
  if (point.isLoose) return 'more was said behind the end of the turn, which Codex itself would leave out'
  if (!hasOwnId(turn)) return 'the turn has no id that Codex knows'
  if (turn.inherited && isObject(point.branch.history.meta?.source))
    return 'Codex gave the turn to a subagent, not as one of its own'
  if (source.archived) return 'Codex itself does not fork an archived session'
  if (packed) return 'Codex itself would unpack the file'
  return null
}

function whyNotAble(cut: Cut, point: ForkPoint, { abilities }: ForkCircumstances): string | null {
  // While another turn runs, and in forks of forks, also when none does.
  if (point.turn?.state === 'interrupted') return 'the turn was cut off, and Codex may take it for a running one'
  if (!abilities.fork) return abilities.problem ?? 'this Codex is not known to fork by itself'
  return abilities.forkAtTurn ? null : whyNotOld(cut, point, abilities.version)
}

/** What keeps a Codex from before 0.150 from it: it knows neither fork points nor threads that refer to other files. */
export function whyNotOld(cut: Cut, { branch }: ForkPoint, version: string | null): string | null {
  if (cut.kind !== 'tip') return `Codex ${version} itself forks only at the tip`
  return isPaginated(branch.history) ? `the thread was written by a newer Codex than ${version}` : null
}
