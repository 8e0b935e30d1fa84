// The title of a thread: the name a user gave it, else its first prompt.
import type { Turn } from '../../model/session.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { SessionSummary } from '../reading.ts'
import { readNames } from './names.ts'

const titleLength = 80

export function titleOf(
  id: string,
  env: AgentEnv,
  nameInFile: string | null,
  turns: readonly Turn[],
): Pick<SessionSummary, 'title' | 'titleFrom'> {
  const name = readNames(env).get(id) ?? nameInFile
  if (name !== null && name !== '') return { title: name, titleFrom: 'custom' }
  const prompt = turns.find((turn) => turn.prompt.trim() !== '')?.prompt ?? ''
  const line = prompt.trim().replace(/\s+/g, ' ')
  const title = line.length > titleLength ? `${line.slice(0, titleLength - 1).trimEnd()}…` : line
  return title === '' ? { title, titleFrom: 'none' } : { title, titleFrom: 'prompt' }
}
