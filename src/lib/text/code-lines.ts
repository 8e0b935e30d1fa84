// What becomes of the code, in words: which files come along, which stay behind.

import type { Plan } from '../../model/fork.ts'
import { cleanLine } from './clean.ts'

type Code = Plan['code']

const shown = 10

export function describeCode(code: Code): string {
  const base = code.commit === null ? 'no commit' : code.commit.slice(0, 12)
  switch (code.mode) {
    case 'none':
      return 'none: the files where the session ran'
    case 'head':
      return `head: clean at ${base}`
    case 'turn':
      return describeTurnCode(code, base)
    case 'now':
      return `now: ${describeOpen(code)}, on top of ${base}`
  }
}

function describeTurnCode({ from, ...code }: Code, base: string): string {
  if (from === undefined) return 'turn: not to be had'
  const { turnId, turnNumber, moment, kind } = from
  const turn = turnNumber === null ? `turn ${turnId?.slice(0, 8)}` : `turn ${turnNumber}`
  const when = turnId === null ? 'before the first prompt' : moment === 'end' ? `as ${turn} left it` : `as ${turn} found it`
  switch (kind) {
    case 'snapshot':
      return `turn: ${when}, ${describeOpen(code)}, on top of ${base}`
    case 'late':
      return `turn: ${when} or a little later, ${describeOpen(code)}, on top of ${base}`
    case 'reconstructed':
      return `turn: ${when}, not captured but put together anew, on top of ${base}`
    case 'nearest_snapshot':
      return `turn: not captured; the snapshot of an earlier turn is the nearest to the code ${when}, on top of ${base}`
    case 'nearest_commit':
      return `turn: not captured; ${base} is the nearest commit to the code ${when}`
  }
}

/** Files by name, the first ten of each kind. */
export function listCode({ mode, dirtyFiles, untracked, leftBehind, included, submodules }: Code): string[] {
  const fate = mode === 'now' || mode === 'turn' ? 'carried' : 'not carried'
  return [
    ...listPaths(`changed (${fate}):`, dirtyFiles),
    ...listPaths(`untracked (${fate}):`, untracked),
    ...listPaths('submodules (checked out):', submodules),
    ...listPaths('ignored files named in .worktreeinclude (copied as they are now):', included),
    ...listPaths('left behind:', leftBehind),
  ]
}

export function describeOpen({ dirtyFiles, untracked }: Pick<Code, 'dirtyFiles' | 'untracked'>): string {
  const parts = [count(dirtyFiles.length, 'changed file'), count(untracked.length, 'untracked file')].filter(Boolean)
  return parts.join(' and ') || 'nothing uncommitted'
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`
}

function listPaths(title: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return []
  const more = paths.length - shown
  const names = paths.slice(0, shown).map((path) => `  ${cleanLine(path)}`)
  return [title, ...names, ...(more > 0 ? [`  and ${more} more`] : [])]
}
