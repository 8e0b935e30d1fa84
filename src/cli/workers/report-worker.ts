// What a person is told once a worker runs: its name, its session, where it is, how to talk to it.

import { cleanLine } from '../../lib/text/clean.ts'
import { sessionAddress } from '../../model/render.ts'
import type { Worker } from '../../model/worker.ts'
import type { Context } from '../context.ts'
import { shellLine } from '../forking/shell-line.ts'
import { createRow } from '../labelled-rows.ts'
import { describeState } from './describe.ts'

export async function printWorker(
  { out, cwd }: Context,
  worker: Worker,
  printed: readonly string[] | null = null,
): Promise<void> {
  const { bold, cyan } = out.colors
  const row = createRow(out)
  await out.line(`${bold('Worker:')} ${worker.name}`)
  const { agent, sessionId, workspace } = worker
  await row('session', sessionId === null ? 'not known' : cyan(sessionAddress({ agent, id: sessionId })))
  if (workspace === null) await row('folder', cleanLine(worker.cwd))
  else {
    await row('workspace', cleanLine(workspace.path))
    await row('branch', cleanLine(workspace.branch))
  }
  // What names a session in a command of one's own is replaced: this is what runs.
  if (worker.settings.command !== null) await row('command', cleanLine(worker.command.argv.at(-1) ?? ''))
  await row('state', cleanLine(describeState(worker)))
  if (printed !== null) await row('run it', cyan(shellLine({ argv: printed, cwd, env: {} })))
  else await row('send', cyan(`offshoot send ${worker.name} "..."`))
  if (worker.kind === 'terminal' && printed === null) await row('attach', cyan(`offshoot attach ${worker.name}`))
  await row('stop', cyan(`offshoot stop ${worker.name}`))
}
