import { expect, test } from 'vitest'
import type { Message } from '../../model/session.ts'
import { messagesOf, now, press, sessionOf, shown, tabOf, turnOf, update, withTab } from '../states.testkit.ts'
import { idle } from './tabs.ts'

const part: Message = { id: 'run:0', turnId: '', role: 'assistant', text: 'Answer 4', at: null }
const streamed = tabOf({ run: { ...idle, prompt: 'Prompt number 4', parts: [part] } })
const grown = {
  kind: 'session_grew',
  tabId: 'claude:one',
  session: sessionOf('one'),
  turns: [1, 2, 3, 4].map((number) => turnOf(number)),
  from: 4,
  messages: messagesOf(4),
  at: now,
} as const
const place = (state: Parameters<typeof shown>[0]) => {
  const { backtrack } = shown(state)
  return backtrack?.stops[backtrack.at]
}

test('Escape right behind a streamed answer steps back from it, once it was read', () => {
  const early = press(withTab(streamed), 'esc').state
  expect(place(early)).toBe('a3')
  expect(place(update(early, grown).state)).toBe('a4')
})

test('what one has moved to, or what grew by itself, leaves the fork point where it is', () => {
  const moved = press(press(withTab(streamed), 'esc').state, 'up').state
  expect(place(update(moved, grown).state)).toBe('u3')
  const alone = press(withTab(), 'esc').state
  expect(place(update(alone, grown).state)).toBe('a3')
})
