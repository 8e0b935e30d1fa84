// The title of a thread: the name a user gave it, else its first prompt.
import { isTitleBeforePrompt, titleOfPrompt } from '../../lib/prompt-title.ts'
import type { Turn } from '../../model/session.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { SessionSummary } from '../reading.ts'
import { readNames } from './names.ts'

export function titleOf(
  id: string,
  env: AgentEnv,
  nameInFile: string | null,
  turns: readonly Turn[],
): Pick<SessionSummary, 'title' | 'titleFrom'> {
  const name = readNames(env).get(id) ?? nameInFile
  const title = titleOfPrompt(turns.find((turn) => turn.prompt.trim() !== '')?.prompt ?? '')
  // A thread is named when offshoot makes it (see start.ts), perhaps before it has a prompt.
  const isNamed = name !== null && name !== '' && !(isTitleBeforePrompt(name) && title !== '')
  if (isNamed) return { title: name, titleFrom: 'custom' }
  return title === '' ? { title, titleFrom: 'none' } : { title, titleFrom: 'prompt' }
}
