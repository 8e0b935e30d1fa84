// Counts what was compared: equal, different for a reason that has a name, or different for none.
import type { Comparison, Rule } from '../real/lib/history.ts'

interface Row {
  done: number
  equal: number
  explained: number
  unexplained: number
}

export interface Report {
  /** One comparison; `kinds` are the named reasons it took to make both sides equal, `problem` what is left. */
  note(check: string, where: string, outcome: { readonly kinds?: Iterable<string>; readonly problem?: string }): void
  noteComparison(check: string, where: string, comparison: Comparison): void
  /** How many differences nobody could explain. */
  readonly unexplained: number
  print(): void
}

const shownProblems = 30
const problemLength = 1500

/** `reasons` has every kind that may be noted. */
export function createReport(reasons: readonly Pick<Rule, 'name' | 'reason'>[]): Report {
  const rows = new Map<string, Row>()
  const kindCounts = new Map<string, number>()
  const problems: string[] = []
  const known = new Map(reasons.map(({ name, reason }) => [name, reason]))

  function note(check: string, where: string, { kinds = [], problem }: { kinds?: Iterable<string>; problem?: string }): void {
    const row = rows.get(check) ?? { done: 0, equal: 0, explained: 0, unexplained: 0 }
    rows.set(check, row)
    row.done += 1
    const used = [...kinds]
    for (const kind of used) {
      if (!known.has(kind)) throw new Error(`"${kind}" has no reason`)
      kindCounts.set(kind, (kindCounts.get(kind) ?? 0) + 1)
    }
    if (problem !== undefined) {
      row.unexplained += 1
      problems.push(`${check}, ${where}: ${problem}`)
    } else if (used.length > 0) row.explained += 1
    else row.equal += 1
  }

  return {
    note,
    noteComparison: (check, where, { diff, used }) =>
      note(check, where, { kinds: used.keys(), ...(diff !== '' && { problem: differencesIn(diff) }) }),
    get unexplained() {
      return problems.length
    },
    print() {
      console.table(Object.fromEntries(rows))
      console.log('Explained differences, by kind:')
      for (const [kind, count] of [...kindCounts].sort(([, a], [, b]) => b - a)) {
        console.log(`  ${String(count).padStart(6)}  ${kind}: ${known.get(kind)}`)
      }
      console.log(`\nUnexplained differences: ${problems.length}`)
      for (const problem of problems.slice(0, shownProblems)) console.log(`\n${problem.slice(0, problemLength)}`)
    },
  }
}

/** Only what differs: of a long history that is a few lines. */
function differencesIn(diff: string): string {
  const lines = diff.split('\n').filter((line) => line.startsWith('- ') || line.startsWith('+ '))
  return lines.map((line) => line.slice(0, 200)).join('\n')
}
