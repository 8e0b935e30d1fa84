// The filters of a search as completion offers them: keys first, then what can stand behind one.
import { agentIds } from '../model/session.ts'
import { filterKeys } from './searching/request.ts'

const meanings: Readonly<Record<(typeof filterKeys)[number], string>> = {
  agent: 'only sessions of this agent',
  repo: 'only repositories with this in their path',
  file: 'only sessions that read or edited this file',
  branch: 'only sessions on this branch',
  model: 'only sessions with this model',
  before: 'only sessions before this day: 2026-01-31, yesterday, 14d',
  after: 'only sessions since this day: 2026-01-31, yesterday, 14d',
}

export function filterWords(current: string): [value: string, about: string][] {
  if (current.startsWith('agent:')) return agentIds.map((agent) => [`agent:${agent}`, ''])
  return filterKeys.map((key) => [`${key}:`, meanings[key]])
}
