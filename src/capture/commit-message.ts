// Messages of the commits on a workspace's branch. The prompt is redacted before it gets here.
import type { SnapshotMeta } from '../model/capture.ts'

type Named = Pick<SnapshotMeta, 'agent' | 'sessionId' | 'turnKey' | 'turnId' | 'turnNumber' | 'prompt'>

export interface CommitMessage {
  readonly message: string
  readonly trailers: readonly (readonly [name: string, value: string])[]
}

/** `others`: sessions that had a turn open in the same work tree: what they did so far is in the commit too. */
export function commitMessage(
  { agent, sessionId, turnKey, turnId, turnNumber, prompt }: Named,
  others: readonly string[] = [],
): CommitMessage {
  const subject = `turn${turnNumber === null ? '' : ` ${turnNumber}`}: ${prompt === '' ? '(no prompt)' : prompt}`
  const trailers = [
    ['Offshoot-Session', sessionId],
    ['Offshoot-Turn', turnId ?? turnKey],
    ['Offshoot-Agent', agent],
    ...others.map((other) => ['Offshoot-Shared-With', other] as const),
  ] as const
  return { message: subject, trailers }
}

/** Of what was uncommitted when the turn began: carried into the workspace, done by hand, or by another session. */
export function earlierMessage({ agent, sessionId, turnNumber }: Named): CommitMessage {
  const turn = turnNumber === null ? 'a turn' : `turn ${turnNumber}`
  const message = `before ${turn}: uncommitted work\n\nIt was carried into the workspace, done by hand, or by another session.`
  return {
    message,
    trailers: [
      ['Offshoot-Session', sessionId],
      ['Offshoot-Agent', agent],
    ],
  }
}
