// How a cut of a Claude Code session is best forked. The CLI's own fork reaches only the tip (`--resume-session-at` is ignored
// interactively), copies half a turn when the source is answering, and makes its file with the first prompt only.
import type { Cut } from '../../model/fork.ts'
import type { ForkChoice, ForkCircumstances } from '../forking.ts'

export function chooseFork(cut: Cut, { abilities, launched, busy }: ForkCircumstances): ForkChoice {
  if (cut.kind === 'start') return prefix('nothing is kept, so the child is a new session')
  if (cut.kind !== 'tip') return prefix('Claude Code itself can fork only at the tip')
  if (busy) return prefix('the source is answering, and Claude Code itself would copy half a turn')
  if (!launched) return prefix('Claude Code makes the file of its own fork only with the first prompt')
  if (!abilities.fork) return prefix('this Claude Code is not known to fork by itself')
  return { strategy: 'native', reason: 'the tip, and offshoot starts Claude Code itself' }
}

function prefix(reason: string): ForkChoice {
  return { strategy: 'prefix', reason }
}
