// Whether an agent is answering in a work tree whose files are about to be changed.
import { relative, sep } from 'node:path'
import { AppError } from '../model/error.ts'
import type { CaptureContext } from './context.ts'

/** An agent in the middle of a turn would find its files changed under its hands. */
export async function refuseBusy(context: CaptureContext, root: string): Promise<void> {
  const busy = new Set(
    context.agents.flatMap((agent) =>
      agent
        .live(context.env)
        .filter((each) => each.busy)
        .map(({ sessionId }) => `${agent.id}:${sessionId}`),
    ),
  )
  if (busy.size === 0) return
  const sessions = await context.catalog.listSessions({}, { refresh: false })
  const there = sessions.find(({ agent, id, cwd }) => busy.has(`${agent}:${id}`) && cwd !== null && isWithin(root, cwd))
  if (there === undefined) return
  throw new AppError('busy', `${there.agent}:${there.id} is at work in ${root}.`, {
    hint: `Wait until it has answered, or use ${context.nameOption('force')}.`,
  })
}

function isWithin(root: string, folder: string): boolean {
  const steps = relative(root, folder)
  return steps !== '..' && !steps.startsWith(`..${sep}`)
}
