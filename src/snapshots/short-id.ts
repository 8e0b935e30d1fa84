// Names a workspace: 8 random base32 characters. Not a prefix of the session's id: Codex ids share theirs, and the branch is
// needed before the id is known.
import { randomBytes } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

export function makeShortId(): string {
  return Array.from(randomBytes(8), (byte) => alphabet.charAt(byte % alphabet.length)).join('')
}
