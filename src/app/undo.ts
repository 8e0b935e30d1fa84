// Chooses what `undo` takes back. What was cut off goes first: without a name it was the newest thing there was, and clearing it up is
// the undo; nothing else is touched.
import { AppError } from '../model/error.ts'
import type { CutOff, RecoverReport, UndoResult } from '../model/fork.ts'

/** `null`: nothing of what was cut off is meant. */
export function undoneByRecovery(report: RecoverReport, id: string | undefined): UndoResult | null {
  const isMeant = (each: CutOff) => id === undefined || each.id === id.replace(/^\w+:/, '')
  const recovered = [...report.rolledBack, ...report.undone].filter(isMeant)
  const stuck = report.problems.find(isMeant)
  if (stuck !== undefined) {
    throw new AppError('failed', `${describeCutOff(stuck)} was cut off and could not be cleared up: ${stuck.problem}`, {
      hint: 'Nothing else was undone. Once the reason is gone, `offshoot doctor --fix` clears it up; `offshoot undo <id>` undoes another.',
    })
  }
  if (recovered.length === 0) return null
  return { kind: 'recovered', undone: true, removed: [], kept: recovered.flatMap(({ notes }) => notes), recovered }
}

const names: Readonly<Record<CutOff['kind'], string>> = {
  fork: 'The fork',
  start: 'The started session',
  restore: 'The restore',
  removal: 'The removal',
}

export function describeCutOff({ kind, id, title }: CutOff): string {
  const what = names[kind]
  const isOf = kind === 'restore' || kind === 'removal'
  return title === '' ? `${what} ${id}` : isOf ? `${what} of ${title} (${id})` : `${what} "${title}" (${id})`
}
