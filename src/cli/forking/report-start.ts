// What a person is told once a session is started: its address, where it lives, how to open it and how to undo it.

import { cleanLine } from '../../lib/text/clean.ts'
import { describeOpen } from '../../lib/text/code-lines.ts'
import { sessionAddress } from '../../model/render.ts'
import type { StartResult } from '../../model/start.ts'
import type { Context } from '../context.ts'
import { createRow, printMade } from '../labelled-rows.ts'
import { shellLine } from './shell-line.ts'

export async function printStart({ out }: Context, { start, plan, again, ...made }: StartResult): Promise<void> {
  const { bold, cyan } = out.colors
  const row = createRow(out)
  await out.line(`${bold('Started:')} ${cleanLine(start.title)}`)
  await row('session', cyan(sessionAddress({ agent: start.agent, id: start.sessionId })))
  await row('workspace', plan.workspace.path)
  await row('branch', `${cleanLine(plan.workspace.branch)}${plan.push === null ? '' : `, pushed to ${cleanLine(plan.push)}`}`)
  if (plan.code.mode === 'now') await row('code', `carried: ${describeOpen(plan.code)}`)
  await printMade(out, made)
  for (const { code, message } of plan.warnings) await row('note', cleanLine(`${code}: ${message}`))
  if (plan.terminal === 'here') await row('open again', cyan(shellLine(again)))
  // Also where nothing is opened: the agent makes its session with this command, and it alone has the prompt.
  else await row('open it', cyan(shellLine(start.command)))
  await row('undo', cyan(`offshoot undo ${start.id}`))
}
