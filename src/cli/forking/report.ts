// What a person is told once a fork is made: its address, where it lives, what was proven, how to open it and how to undo it.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { describeCode, describeOpen } from '../../lib/text/code-lines.ts'
import { remedyFor } from '../../lib/text/remedies.ts'
import type { ForkResult, Proof } from '../../model/fork.ts'
import { sessionAddress } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { createRow, printMade } from '../labelled-rows.ts'
import { nameFlag } from '../name-flag.ts'
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
  const { argv } = fork.command
  if (fork.pendingPrompt !== undefined && !argv.includes(fork.pendingPrompt)) {
    await row('prompt', `not sent yet: ${cutPrompt(cleanText(fork.pendingPrompt))}`)
  }
  if (plan.terminal === 'here') await row('open again', cyan(shellLine(again)))
  else if (plan.terminal !== 'none') await row('open it', cyan(shellLine(fork.command)))
  await row('undo', cyan(`offshoot undo ${fork.id}`))
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

function cutPrompt(prompt: string): string {
  const [first = '', ...rest] = prompt.trim().split('\n')
  return rest.length > 0 || first.length > 200 ? `${first.slice(0, 200)}…` : first
}
