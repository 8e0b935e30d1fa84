// How the set-up command of a workspace went, in words.
import type { SetupOutcome } from '../../model/fork.ts'
import { cleanLine } from './clean.ts'

const shown = 8

export function hasFailed({ exitCode }: SetupOutcome): boolean {
  return exitCode !== 0
}

export function describeSetup({ command, exitCode, timedOut, seconds }: SetupOutcome): string {
  const name = cleanLine(command)
  if (exitCode === 0) return `${name}: done in ${seconds} s`
  const how = timedOut
    ? `took longer than it may (${seconds} s)`
    : exitCode === null
      ? 'was ended'
      : `failed (exit status ${exitCode})`
  return `${name} ${how}; the workspace is complete without it`
}

/** The last lines it printed, where that says why it failed. */
export function setupTail(outcome: SetupOutcome): string[] {
  return hasFailed(outcome) ? outcome.output.slice(-shown).map(cleanLine) : []
}
