// The document of a fork that was made: as HTTP answers, with the new session as the catalogue has it.
import type { App } from '../../app.ts'
import { AppError } from '../../model/error.ts'
import type { ForkResult } from '../../model/fork.ts'
import { renderForkResult, renderSession, sessionAddress } from '../../model/render.ts'

/** `session` is `null` while the agent has not written it. */
export async function forkDocument(app: App, result: ForkResult) {
  return { session: await findChild(app, result), ...renderForkResult(result) }
}

async function findChild(app: App, { fork }: ForkResult) {
  try {
    return renderSession((await app.resolve(sessionAddress({ agent: fork.agent, id: fork.sessionId }))).session)
  } catch (error) {
    if (error instanceof AppError && error.code === 'session_not_found') return null
    throw error
  }
}
