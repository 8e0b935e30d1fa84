import type { Check } from '../model/catalog.ts'
import { errorMessage } from './error-message.ts'
import { toMachineFault } from './machine-fault.ts'

/** By the id under which one that throws is reported. */
export type ChecksById<Made extends Check> = Readonly<
  Record<string, () => Made | readonly Made[] | Promise<Made | readonly Made[]>>
>

/** Runs checks one after the other. One that throws becomes a finding and takes no other away; what several find is reported once. */
export async function runChecksApart<Made extends Check>(checks: ChecksById<Made>): Promise<readonly (Made | Check)[]> {
  const found: (Made | Check)[] = []
  for (const [id, run] of Object.entries(checks)) {
    try {
      found.push(...[await run()].flat())
    } catch (error) {
      const failed = describeFailure(id, error)
      if (!found.some(({ message }) => message === failed.message)) found.push(failed)
    }
  }
  return found
}

function describeFailure(id: string, error: unknown): Check {
  const fault = toMachineFault(error)
  if (fault !== null) return { id, state: 'fail', message: fault.message, fix: fault.hint }
  return { id, state: 'fail', message: `this check failed: ${errorMessage(error)}`, fix: 'This is a bug in offshoot.' }
}
