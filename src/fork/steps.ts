// The steps of a plan in plain sentences.
import type { CodeSource, Plan, SetupPlan } from '../model/fork.ts'
import type { MissingFile } from './context.ts'

export function describeSteps(plan: Omit<Plan, 'steps' | 'seen'>, missing: readonly MissingFile[]): string[] {
  const steps = missing.flatMap(({ path, role }) => (role === 'side' ? [] : `Put ${path} back from the archive.`))
  if (plan.workspace !== null) {
    const content = describeContent(plan.code)
    steps.push(`Make the workspace ${plan.workspace.path} on the new branch ${plan.workspace.branch}, ${content}.`)
  }
  steps.push(describeSession(plan))
  steps.push('Check that the source is unchanged and that the fork holds what it should.')
  if (plan.setup !== null) steps.push(describeSetup(plan.setup))
  return [...steps, ...describeOpening(plan)]
}

/** Where it opens, in a sentence; none where nobody opens it. */
export function describeOpening({ terminal, cwd }: Pick<Plan, 'terminal' | 'cwd'>): string[] {
  switch (terminal) {
    case 'none':
      return []
    case 'print':
      return ['Print the command that opens it.']
    case 'headless':
      return [`Run it without a terminal in ${cwd}.`]
    case 'here':
      return [`Open it in ${cwd}.`]
    default:
      return [`Open it in a ${terminal} pane, in ${cwd}.`]
  }
}

export function describeSetup({ command }: SetupPlan): string {
  return `Run your set-up command in the workspace: ${command}`
}

function describeContent({ mode, commit, from }: Plan['code']): string {
  const base = commit?.slice(0, 12) ?? 'no commit'
  if (mode === 'now') return 'with the present state of the work tree'
  if (from === undefined) return `at ${base}`
  const state = describeState(from)
  switch (from.kind) {
    case 'snapshot':
    case 'late':
      return `with the code ${state}, from its snapshot`
    case 'reconstructed':
      return `with the code ${state}, put together anew on top of ${base}`
    case 'nearest_snapshot':
      return `with the nearest snapshot to the code ${state}, on top of ${base}`
    case 'nearest_commit':
      return `at ${base}, the commit nearest to the code ${state}`
  }
}

/** `as turn 3 left it`, `as it was before the first prompt` ... */
export function describeState({ turnId, turnNumber, moment }: Pick<CodeSource, 'turnId' | 'turnNumber' | 'moment'>): string {
  if (turnId === null) return 'as it was before the first prompt'
  const turn = turnNumber === null ? `turn ${turnId.slice(0, 8)}` : `turn ${turnNumber}`
  return moment === 'end' ? `as ${turn} left it` : `as ${turn} found it`
}

function describeSession({ agent, strategy, keptTurns, cwd }: Omit<Plan, 'steps' | 'seen'>): string {
  const turns = keptTurns === 1 ? '1 turn' : `${keptTurns} turns`
  switch (strategy) {
    case 'native':
      return `Let ${agent} fork the session with ${turns}, to run in ${cwd}.`
    case 'prefix':
      return `Write a ${agent} session of its own with ${turns}, to run in ${cwd}.`
    case 'seed':
      return `Start a new ${agent} session in ${cwd} and give it the transcript of ${turns} as context.`
  }
}
