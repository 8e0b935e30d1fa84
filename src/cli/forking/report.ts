// What a person is told once a fork is made: its address, where it lives, what was proven, how to open it and how to undo it.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { describeCode, describeOpen } from '../../lib/text/code-lines.ts'
import { remedyFor } from '../../lib/text/remedies.ts'
import type { Fork, ForkResult, Proof } from '../../model/fork.ts'
import { sessionAddress } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { createRow, printMade } from '../labelled-rows.ts'
import { nameFlag } from '../name-flag.ts'
import { opensWorker } from '../workers/wants-worker.ts'
import { shellLine } from './shell-line.ts'

/** `planWasShown`: then its warnings were read already. */
export async function printFork(
  { out }: Context,
  { fork, plan, proof, again, ...made }: ForkResult,
  planWasShown: boolean,
): Promise<void> {
  const { bold, cyan } = out.colors
  const row = createRow(out)
  await out.line(`${bold('Forked:')} ${cleanLine(fork.title)}`)
  await row('session', cyan(sessionAddress({ agent: fork.agent, id: fork.sessionId })))
  await row('turns', `${plan.keptTurns} kept (${fork.strategy})`)
  if (fork.workspace !== null) {
    await row('workspace', fork.workspace.path)
    await row('branch', cleanLine(fork.workspace.branch))
    if (plan.code.mode === 'now') await row('code', `carried: ${describeOpen(plan.code)}`)
    if (plan.code.mode === 'turn') await row('code', describeCode(plan.code).replace(/^turn: /, ''))
  }
  for (const [at, line] of formatProof(proof, out.colors).entries()) await row(at === 0 ? 'proof' : '', line)
  await printMade(out, made)
  if (!planWasShown) {
    // What was accepted unread is told elsewhere on this page, but for code of another time than the conversation.
    const unread = plan.warnings.filter(({ code }) => !plan.confirm.includes(code) || code === 'code_now')
    for (const { code, message } of unread) await row('note', cleanLine(`${code}: ${message} ${remedyFor(code, nameFlag)}`))
  }
  if (plan.terminal === 'here') await row('open again', cyan(shellLine(again)))
  // Of one that is not to be opened now only where the command has its prompt, which would be lost.
  else if (plan.terminal !== 'none' || plan.send) await row('open it', cyan(shellLine(fork.command)))
  await row('undo', cyan(`offshoot undo ${fork.id}`))
  // Of one that opens in a pane it is told once it is open.
  if (fork.pendingPrompt !== undefined && !opensWorker(plan.terminal))
    await printPending({ out }, fork.pendingPrompt, !hasToBeCopied(fork))
}

/** A prompt waits that the command does not put into the composer. */
export function hasToBeCopied({ pendingPrompt, command }: Fork): boolean {
  return pendingPrompt !== undefined && !command.argv.some((word) => word.includes(pendingPrompt))
}

/** A prompt that was not sent: where it waits, or its whole text, to be copied. */
export async function printPending({ out }: Pick<Context, 'out'>, prompt: string, inComposer: boolean): Promise<void> {
  const row = createRow(out)
  if (inComposer) return row('prompt', 'waits in the composer, not sent')
  await row('prompt', 'not sent; copy it from here:')
  await out.line()
  await out.line(cleanText(prompt))
  await out.line()
}

/** Three ticks; what the agent will only make with its first prompt is not claimed. */
export function formatProof({ sourceUnchanged, prefixVerified, cwdVerified }: Proof, colors: Context['out']['colors']): string[] {
  const mark = (held: boolean | null) => (held === null ? colors.dim('…') : held ? colors.green('✓') : colors.red('✗'))
  const conversation = prefixVerified === null ? 'the conversation: checked after the first prompt' : 'the conversation read back'
  return [
    `${mark(sourceUnchanged)} the source is unchanged`,
    `${mark(prefixVerified)} ${conversation}${prefixVerified === null ? '' : ' is the one that was to be kept'}`,
    `${mark(cwdVerified)} it starts in the right folder`,
  ]
}
