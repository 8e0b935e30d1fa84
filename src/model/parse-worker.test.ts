import { expect, test } from 'vitest'
import { parseRunEvent, type RunEventDocument } from './parse-worker.ts'
import { renderEvent, renderRunEvent } from './render-worker.ts'
import type { RunEvent } from './run.ts'

const request = {
  id: 'q1',
  tool: 'Bash',
  kind: 'command',
  summary: 'touch x',
  arguments: { command: 'touch x' },
  callId: 'c1',
  canRemember: true,
} as const

const events: readonly RunEvent[] = [
  { kind: 'started', sessionId: 's', turnId: null, model: 'm' },
  { kind: 'text', delta: 'a\nb' },
  { kind: 'thinking', delta: 'hm' },
  { kind: 'message', messageId: 'm1', text: 'whole' },
  { kind: 'tool_call', callId: 'c1', tool: 'Bash', arguments: { command: 'ls' } },
  { kind: 'tool_output', callId: 'c1', delta: 'x' },
  { kind: 'tool_result', callId: 'c1', output: 'x', exitCode: 0, failed: false },
  { kind: 'permission', request },
  { kind: 'permission_resolved', requestId: 'q1', verdict: 'deny' },
  { kind: 'usage', usage: { inputTokens: 1, cachedInputTokens: 2, outputTokens: 3 } },
  { kind: 'notice', text: 'retrying' },
  { kind: 'end', outcome: 'failed', error: 'why' },
]

test.each(events)('$kind comes back from JSON as it went', (event) => {
  expect(parseRunEvent(JSON.parse(JSON.stringify(renderRunEvent(event))) as RunEventDocument)).toEqual(event)
})

test('a kind that a newer one invents is left out', () => {
  expect(parseRunEvent({ kind: 'unheard_of' } as never)).toBeNull()
})

test('every document about a request names its id `request_id`', () => {
  const of = { workerId: 'w', worker: 'otter', sessionId: 's' }
  const asked = renderEvent({ id: 1, at: 0, type: 'permission.requested', data: { ...of, request } } as never)
  const resolved = renderEvent({
    id: 2,
    at: 0,
    type: 'permission.resolved',
    data: { ...of, requestId: 'q1', verdict: 'deny' },
  } as never)
  expect(asked.data).toMatchObject({ request_id: 'q1', request: { id: 'q1', request_id: 'q1' } })
  expect(resolved.data).toMatchObject({ request_id: 'q1' })
  expect(renderRunEvent({ kind: 'permission', request })).toMatchObject({ request: { request_id: 'q1' } })
})
