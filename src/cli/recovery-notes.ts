// What had been cut off and what became of it, for the person whose next command cleared it up.
import { describeCutOff } from '../app/undo.ts'
import { cleanLine } from '../lib/clean-text.ts'
import type { Recovered, RecoverReport } from '../model/fork.ts'

export function recoveryNotes({ completed, rolledBack, undone, problems }: RecoverReport): string[] {
  const told = (found: readonly Recovered[], what: string) =>
    found.flatMap((each) => [cleanLine(`${describeCutOff(each)} ${what}.`), ...each.notes.map((note) => `  ${cleanLine(note)}`)])
  return [
    ...told(completed, 'had been cut off; it is finished now'),
    ...told(rolledBack, 'had been cut off; it was taken back'),
    ...told(undone, 'was being undone when that was cut off; it is undone now'),
    ...problems.map((each) => cleanLine(`${describeCutOff(each)} was cut off and could not be cleared up: ${each.problem}`)),
  ]
}
