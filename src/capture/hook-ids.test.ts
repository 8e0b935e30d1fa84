import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseHookEvent } from '../agents/hook-events.ts'
import { agentIds } from '../model/session.ts'
import { isSafeId } from '../snapshots/snapshot.ts'

it('hooks take the very ids that can be part of a ref', () => {
  const id = fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{0,130}$/), fc.uuid())
  fc.assert(
    fc.property(fc.constantFrom(...agentIds), id, (agent, text) => {
      const event = parseHookEvent(agent, { session_id: text, cwd: '/', hook_event_name: 'Stop' })
      expect(event?.sessionId ?? null).toBe(isSafeId(text) ? text : null)
    }),
  )
})
