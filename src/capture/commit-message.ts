// Messages of the commits on a workspace's branch. The prompt is redacted before it gets here.
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

/** Of what was uncommitted when the turn began: carried into the workspace, or changed outside of a turn. */
export function earlierMessage({ agent, sessionId, turnNumber }: Named): CommitMessage {
  const turn = turnNumber === null ? 'a turn' : `turn ${turnNumber}`
  const message = `before ${turn}: uncommitted work\n\nIt was carried into the workspace, or done outside of a turn.`
  return {
    message,
    trailers: [
      ['Offshoot-Session', sessionId],
      ['Offshoot-Agent', agent],
    ],
  }
}
