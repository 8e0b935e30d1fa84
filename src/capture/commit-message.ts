// How a turn's commit on a workspace's branch is called. The prompt is redacted before it gets here.
import type { SnapshotMeta } from '../model/capture.ts'

type Named = Pick<SnapshotMeta, 'agent' | 'sessionId' | 'turnKey' | 'turnId' | 'turnNumber' | 'prompt'>

export interface CommitMessage {
  readonly message: string
  readonly trailers: readonly (readonly [name: string, value: string])[]
}

export function commitMessage({ agent, sessionId, turnKey, turnId, turnNumber, prompt }: Named): CommitMessage {
  const subject = `turn${turnNumber === null ? '' : ` ${turnNumber}`}: ${prompt === '' ? '(no prompt)' : prompt}`
  const trailers = [
    ['Offshoot-Session', sessionId],
    ['Offshoot-Turn', turnId ?? turnKey],
    ['Offshoot-Agent', agent],
  ] as const
  return { message: subject, trailers }
}
