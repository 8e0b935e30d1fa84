// The model to name when a session is resumed. An agent knows by itself what a session ran on, or goes by its settings; only a seed
// runs on a model that neither may tell: its parent's. Pure.
import type { Session } from './session.ts'

/** `null`: the agent takes the right one by itself. */
export function resumeModel({ agent, parent, model }: Pick<Session, 'agent' | 'parent' | 'model'>): string | null {
  return parent?.kind === 'seed' && parent.agent === agent ? model : null
}
