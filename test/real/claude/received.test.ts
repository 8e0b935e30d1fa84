import { expect, it } from 'vitest'
import { compareHistory, type SeenItem } from '../lib/history.ts'
import { claudeRules } from './received.ts'

const user = (text: string): SeenItem => ({ role: 'user', text })
const attachment: SeenItem = { role: 'system', text: 'The following skills are available' }
const closer: SeenItem = { role: 'assistant', text: 'No response requested.' }
const [asked, next] = [user('[Request interrupted by user]'), user('next')]

function diff(ours: readonly SeenItem[], received: readonly SeenItem[]): string {
  return compareHistory(ours, received, claudeRules).diff
}

it('the words that close an unanswered history are expected where the file has them', () => {
  expect(diff([asked, next], [asked, closer, next])).toBe('')
  expect(diff([asked, closer, next], [asked, closer, next])).toBe('')
  expect(diff([asked, closer, attachment, attachment, next], [asked, closer, next])).toBe('')
  const command = '<command-name>/compact</command-name>'
  const kept = [closer, { role: 'system', text: command }, next] as const
  expect(diff(kept, [closer, user(command), closer, next])).toBe('')
  expect(diff([asked, closer, next], [asked, next])).toContain('- assistant: "No response requested."')
})

it('what the CLI adds to a result is expected only behind the very result', () => {
  const result = (text: string): SeenItem => ({ role: 'tool_result', text, callId: 'c' })
  const added = '\n\n<system-reminder>\ngit status\n</system-reminder>'
  expect(diff([result('rejected'), next], [result(`rejected${added}`), next])).toBe('')
  expect(diff([result('another'), next], [result(`rejected${added}`), next])).not.toBe('')
})
