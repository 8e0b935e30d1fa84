// What was made, for a person: each fact on a line of its own, behind its label.
import { cleanLine } from '../lib/text/clean.ts'
import { describeSetup, hasFailed, setupTail } from '../lib/text/setup-lines.ts'
import type { ForkResult } from '../model/fork.ts'
import type { Output } from './output.ts'

type Made = Pick<ForkResult, 'notes' | 'setup'>

export const labelWidth = 11

export function createRow(out: Output) {
  return (label: string, text: string) => out.line(`  ${out.colors.dim(label.padEnd(labelWidth))}${text}`)
}

/** How the workspace differs from what was planned, and how its set-up command went, where there was one. */
export async function printMade(out: Output, { notes = [], setup }: Made): Promise<void> {
  const row = createRow(out)
  for (const note of notes) await row('note', cleanLine(note))
  if (setup === undefined) return
  await row('set-up', hasFailed(setup) ? out.colors.red(describeSetup(setup)) : describeSetup(setup))
  for (const line of setupTail(setup)) await row('', out.colors.dim(line))
}
