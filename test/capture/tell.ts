// Tells the recorder of an event in this process, as the hook program does in its own: for the many events around the one
// that is tested.
import { parseHookEvent } from '../../src/agents/hook-events.ts'
import { type Recorded, recordEvent } from '../../src/capture/record-event.ts'
import type { AgentId } from '../../src/model/session.ts'
import { testGit } from '../git/scratch.ts'
import type { Payload } from './session.ts'

const git = testGit()

export async function tellHere(
  offshootHome: string,
  payload: Payload,
  agent: AgentId = 'claude',
  now: () => number = Date.now,
): Promise<Recorded> {
  const event = parseHookEvent(agent, payload)
  if (event === null) throw new Error('no event')
  const context = { folder: offshootHome, git, now, maxFileBytes: 1 << 20 }
  return recordEvent(context, { agent, event, by: 'hook' })
}
