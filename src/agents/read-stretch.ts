// Reads some turns of a session through its agent's short way, or from the whole where there is none; and what short ways of all
// agents share. A part of a file alone cannot prove that it was read right (a line far above may change its meaning), so what it
// says of its turns must be what is known of them already.
import { statSync } from 'node:fs'
import { AppError } from '../model/error.ts'
import type { Turn } from '../model/session.ts'
import type { Agent, SessionFile } from './agent.ts'
import type { AgentEnv } from './agent-env.ts'
import type { Entry, Stretch, StretchOptions } from './reading.ts'

export async function readStretch(
  agent: Agent,
  file: SessionFile,
  env: AgentEnv,
  options: StretchOptions,
): Promise<Stretch & { readonly fromWhole: boolean }> {
  const short = await agent.readStretch?.(file, env, options)
  if (short) return { ...short, fromWhole: false }
  const { known, before } = options
  const first = known[0]
  const entries: Entry[] = []
  let inside = first === undefined || first.number === 1
  let found = first === undefined
  for await (const entry of agent.read(file, env)) {
    if (entry.kind === 'skipped') continue
    if (entry.kind === 'turn') {
      if (entry.turn.id === before?.turnId) break
      if (entry.turn.id === first?.id) found = inside = true
    }
    if (inside) entries.push(entry)
  }
  if (!found) throw new AppError('turn_not_found', `No turn ${first?.id} in this session.`)
  return { entries, firstEnd: Number.POSITIVE_INFINITY, fromWhole: true }
}

/** The part of a file to look into. */
export interface Bounds {
  readonly end: number
  /** Nothing was written since the turns became known. */
  readonly unchanged: boolean
}

/** `null` when the file is not the one that is known. */
export function boundsOf(file: SessionFile, { before }: StretchOptions, marginBytes: number): Bounds | null {
  const stat = statSync(file.path, { throwIfNoEntry: false })
  if (stat === undefined || stat.ino !== file.inode || stat.size < file.bytes) return null
  const end = Math.min(stat.size, (before?.notBehind ?? Number.POSITIVE_INFINITY) + marginBytes)
  return { end, unchanged: stat.size === file.bytes }
}

const mostBytes = 1 << 23

/** How much these turns take, about, going by those before them. */
export function guessBytes({ known, reach }: StretchOptions, { end }: Bounds, marginBytes: number): number {
  if (reach !== undefined) return reach.firstBytes
  const perTurn = end / Math.max(1, known.at(-1)?.number ?? 1)
  return Math.min(mostBytes, marginBytes + Math.ceil(perTurn * (known.length + 1) * 1.2))
}

/** Of what goes on being written the last known turn may have changed, and new ones may have come. */
export function fitsKnown(found: readonly Turn[], { known, before }: StretchOptions, { unchanged }: Bounds): boolean {
  const settled = unchanged || before !== undefined
  if (settled ? found.length !== known.length : found.length < known.length) return false
  return known.every((turn, at) => {
    const other = found[at]
    if (other === undefined || other.id !== turn.id) return false
    return (!settled && at === known.length - 1) || isSameMark(turn, other)
  })
}

/** All but the prompt, of which the catalogue keeps no secrets. */
function isSameMark(a: Turn, b: Turn): boolean {
  const names = [
    ...(['number', 'startedAt', 'endedAt', 'messages', 'lastMessageId'] as const),
    ...(['state', 'afterCompaction', 'contextTokens'] as const),
  ]
  if (names.some((name) => a[name] !== b[name])) return false
  return (['inputTokens', 'cachedInputTokens', 'outputTokens'] as const).every((name) => a.usage?.[name] === b.usage?.[name])
}
