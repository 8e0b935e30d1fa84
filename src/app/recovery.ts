// What was cut off is cleared up before anything new is written: the one function that every verb that writes calls first.
import type { RecoverReport } from '../model/fork.ts'

export type Recover = () => Promise<RecoverReport>

/** `onRecovered` gets what was found, and each problem only once. */
export function createRecovery(
  parts: readonly Recover[],
  onRecovered: (report: RecoverReport) => void = () => undefined,
): Recover {
  const told = new Set<string>()
  return async () => {
    const reports: RecoverReport[] = []
    for (const part of parts) reports.push(await part())
    const report = {
      completed: reports.flatMap(({ completed }) => completed),
      rolledBack: reports.flatMap(({ rolledBack }) => rolledBack),
      undone: reports.flatMap(({ undone }) => undone),
      problems: reports.flatMap(({ problems }) => problems),
    }
    const fresh = report.problems.filter(({ id, problem }) => !told.has(`${id} ${problem}`))
    for (const { id, problem } of fresh) told.add(`${id} ${problem}`)
    if ([report.completed, report.rolledBack, report.undone, fresh].some(({ length }) => length > 0)) {
      onRecovered({ ...report, problems: fresh })
    }
    return report
  }
}
