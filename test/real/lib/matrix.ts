// Which scenario runs on which version. `npm test` runs a fixed covering subset (every scenario at least once), the whole
// matrix runs with OFFSHOOT_MATRIX=1; what was left out is said plainly.

export interface Planned<V extends string> {
  readonly name: string
  /** Versions that can do it at all; absent: every version. */
  readonly versions?: readonly V[]
  /** Versions it is worth most on: the last of them is run by `npm test`. */
  readonly always: readonly V[]
}

export interface Cell<S, V extends string> {
  readonly scenario: S
  readonly version: V
}

export interface Selection<S, V extends string> {
  readonly run: readonly Cell<S, V>[]
  readonly leftOut: readonly Cell<S, V>[]
}

export const wholeMatrix = process.env.OFFSHOOT_MATRIX === '1'

export function selectCells<V extends string, S extends Planned<V>>(
  scenarios: readonly S[],
  versions: readonly V[],
  whole = wholeMatrix,
): Selection<S, V> {
  const run: Cell<S, V>[] = []
  const leftOut: Cell<S, V>[] = []
  for (const scenario of scenarios) {
    if (scenario.always.length === 0) throw new Error(`scenario "${scenario.name}" is never run by npm test`)
    for (const version of scenario.versions ?? versions) {
      if (whole || scenario.always.at(-1) === version) run.push({ scenario, version })
      else leftOut.push({ scenario, version })
    }
  }
  return { run, leftOut }
}

/**
 * Half of what `npm test` would run, every second one: reading a scenario and forking it each take a run of the CLI or more, and a
 * scenario that one suite passes over is run by the other.
 */
export function everySecond<S, V extends string>(
  { run, leftOut }: Selection<S, V>,
  first: 0 | 1,
  whole = wholeMatrix,
): Selection<S, V> {
  if (whole) return { run, leftOut }
  const isTaken = (_: unknown, at: number) => at % 2 === first
  return { run: run.filter(isTaken), leftOut: [...leftOut, ...run.filter((cell, at) => !isTaken(cell, at))] }
}

/** One line per agent, for the log of `npm test`. */
export function describeSelection<V extends string>(agent: string, selection: Selection<Planned<V>, V>): string {
  const ran = `${agent}: ${selection.run.length} scenario runs with the real CLI`
  if (selection.leftOut.length === 0) return `${ran}; nothing left out`
  const names = selection.leftOut.map(({ scenario, version }) => `${scenario.name} on ${version}`)
  return `${ran}; left out here, run by npm run test:matrix: ${names.join(', ')}`
}

/** The turns that are forked: all of them by the whole matrix, else the first (each costs a run of the CLI, and the end is forked apart). */
export function turnsToFork<T>(turns: readonly T[], whole = wholeMatrix): readonly T[] {
  return whole ? turns : turns.slice(0, 1)
}

/** Versions stand oldest first: `npm test` runs the newest, the whole matrix all. What is left out is said. */
export function versionsToTry<V extends string>(what: string, versions: readonly V[], whole = wholeMatrix): readonly V[] {
  if (whole) return versions
  console.log(`${what}: left out here, run by npm run test:matrix: ${versions.slice(0, -1).join(', ')}`)
  return versions.slice(-1)
}

/** What is the same for every agent: `npm test` runs it with one of them, the whole matrix with all. What is left out is said. */
export function agentsToTry<T extends { readonly agent: string }>(
  what: string,
  agents: readonly T[],
  one: T['agent'],
  whole = wholeMatrix,
): readonly T[] {
  if (whole) return agents
  const others = agents.filter(({ agent }) => agent !== one)
  console.log(`${what}: left out here, run by npm run test:matrix: ${others.map(({ agent }) => agent).join(', ')}`)
  return agents.filter(({ agent }) => agent === one)
}
