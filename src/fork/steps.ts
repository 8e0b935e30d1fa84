// The steps of a plan in plain sentences.
import type { CatalogSession } from '../model/catalog.ts'
import type { Plan } from '../model/fork.ts'

export function describeSteps(plan: Omit<Plan, 'steps' | 'seen'>, session: CatalogSession): string[] {
  const steps: string[] = []
  if (session.state === 'gone') steps.push(`Put ${session.path} back from the archive.`)
  if (plan.workspace !== null) {
    const content =
      plan.code.mode === 'now' ? 'with the present state of the work tree' : `at ${plan.code.commit?.slice(0, 12) ?? 'no commit'}`
    steps.push(`Make the workspace ${plan.workspace.path} on the new branch ${plan.workspace.branch}, ${content}.`)
  }
  steps.push(describeSession(plan))
  steps.push('Check that the source is unchanged and that the fork holds what it should.')
  const launch =
    plan.terminal === 'print' ? 'Print the command that opens it' : plan.terminal === 'none' ? null : `Open it in ${plan.cwd}`
  if (launch !== null) steps.push(`${launch}.`)
  return steps
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
