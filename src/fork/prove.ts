// What is checked after a fork: the source's bytes are what they were, the child read back is the parent's prefix, and the
// child starts in the right folder. A fork that cannot prove this has failed.
import { statSync } from 'node:fs'
import type { Agent, SessionFile } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import { isFolder } from '../lib/is-folder.ts'
import { AppError } from '../model/error.ts'
import type { Cut, Proof } from '../model/fork.ts'
import { compareMessages, pairMessages } from './compare-messages.ts'
import type { Hasher } from './hasher.ts'
import { readOptionsFor } from './up-to.ts'

/** The bytes of the source before anything was done. */
export interface SourceHash {
  readonly path: string
  readonly bytes: number
  readonly inode: number
  readonly sha256: string
}

export interface Claim {
  readonly agent: Agent
  readonly env: AgentEnv
  readonly source: SessionFile
  readonly cut: Cut
  readonly lastTurnId: string | null
  /** `null` while the agent has not made it. */
  readonly child: SessionFile | null
  readonly cwd: string
  /** The child may hold more by now: it was looked at only after its first prompt. */
  /** Its file was written by the agent's own fork. */
  readonly byAgent: boolean
  readonly later?: boolean
}

export async function hashSource(hasher: Hasher, paths: readonly string[]): Promise<SourceHash[]> {
  return Promise.all(
    paths.map(async (path) => {
      const { size: bytes, ino: inode } = statSync(path)
      return { path, bytes, inode, sha256: (await hasher.hash(path, bytes)) ?? '' }
    }),
  )
}

/**
 * Hashes the source again from now on, while the child is read back. The answer is asked for when that is done: a file that was
 * touched since the hashing began is hashed once more, so that the answer holds for that moment.
 */
function watchSource(hasher: Hasher, before: readonly SourceHash[]): () => Promise<boolean> {
  const looks = before.map((each) => ({ each, touchedAt: touchedAt(each.path), same: isSame(hasher, each) }))
  for (const { same } of looks) same.catch(() => undefined) // awaited below; a fault meanwhile must not leave it unheard
  return async () => {
    const same = await Promise.all(
      looks.map(async (look) => {
        const wasSame = await look.same
        return touchedAt(look.each.path) === look.touchedAt ? wasSame : isSame(hasher, look.each)
      }),
    )
    return same.every(Boolean)
  }
}

async function isSame(hasher: Hasher, { path, bytes, inode, sha256 }: SourceHash): Promise<boolean> {
  return statSync(path, { throwIfNoEntry: false })?.ino === inode && (await hasher.hash(path, bytes)) === sha256
}

/** Changes with every write and every exchange of the file; nobody can set it. */
function touchedAt(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.ctimeNs}`
}

function describeHashes(hashes: readonly SourceHash[], unchanged: boolean): string[] {
  return hashes.map(({ path, bytes, sha256 }) =>
    unchanged ? `${path}: ${bytes} bytes as before, sha256 ${sha256}` : `${path} is not what it was before the fork`,
  )
}

export async function provePrefix(claim: Claim): Promise<Pick<Proof, 'prefixVerified' | 'details'>> {
  const { agent, env, source, child, cut, lastTurnId, byAgent, later = false } = claim
  const options = readOptionsFor(cut, lastTurnId)
  if (options === null) return { prefixVerified: true, details: ['nothing of the parent is kept'] }
  if (child === null)
    return { prefixVerified: null, details: ['the agent makes the file with the first prompt; it is checked then'] }
  const sideFolders = [source.path, child.path].map((path) => path.replace(/\.jsonl(\.zst)?$/, ''))
  const neutral = (text: string) => sideFolders.reduce((rest, folder) => rest.replaceAll(folder, '<session>'), text)
  const pairs =
    agent.readBoth?.(source, child, env, { ...options, byAgent }) ??
    pairMessages(agent.read(source, env, options), agent.read(child, env))
  const { same, difference, extra, openCalls } = await compareMessages(pairs, neutral)
  if (difference !== null) return { prefixVerified: false, details: [`the fork is not the parent's prefix: ${difference}`] }
  if (extra > 0 && !later)
    return { prefixVerified: false, details: [`the fork has ${extra} messages more than the parent's prefix`] }
  const open = openCalls === 0 ? 'no tool call without its result' : `${openCalls} tool calls without a result, as in the parent`
  return { prefixVerified: true, details: [`${same} messages read back are the parent's, one by one; ${open}`] }
}

/** The folder is there, and from it the agent finds the session. */
export async function proveFolder({ agent, env, child, cwd }: Claim): Promise<Pick<Proof, 'cwdVerified' | 'details'>> {
  if (!isFolder(cwd)) return { cwdVerified: false, details: [`${cwd} is no folder`] }
  if (child === null) return { cwdVerified: true, details: [`it starts in ${cwd}`] }
  const found = agent.isFoundFrom?.(env, child.path, cwd) ?? (await agent.summarise(child, env)).cwd === cwd
  return { cwdVerified: found, details: [found ? `it starts in ${cwd}` : `the agent does not find it from ${cwd}`] }
}

/** `seeded` is what was found out about a seed while it was planted. */
export async function proveFork(
  hasher: Hasher,
  claim: Claim,
  before: readonly SourceHash[],
  seeded: readonly string[] | null,
  notes: readonly string[],
): Promise<Proof> {
  const isUnchanged = watchSource(hasher, before)
  const prefix = seeded === null ? await provePrefix(claim) : { prefixVerified: true, details: seeded }
  const folder = await proveFolder(claim)
  const sourceUnchanged = await isUnchanged()
  const details = [...describeHashes(before, sourceUnchanged), ...prefix.details, ...folder.details, ...notes]
  return { sourceUnchanged, prefixVerified: prefix.prefixVerified, cwdVerified: folder.cwdVerified, details }
}

/**
 * What stands behind a turn may belong to the next one as soon as that begins: a source that its agent wrote on since the plan was
 * made can make a right copy look wrong. Then nothing is known, and the plan is to be made again.
 */
export function refuseUnproven(proof: Proof, planned: { readonly path: string; readonly bytes: number }): void {
  if (proof.sourceUnchanged && proof.prefixVerified !== false && proof.cwdVerified) return
  const hasGrown = (statSync(planned.path, { throwIfNoEntry: false })?.size ?? 0) > planned.bytes
  if (proof.sourceUnchanged && proof.cwdVerified && hasGrown)
    throw new AppError('plan_stale', 'The session was written on while it was forked; nothing was made.')
  throw new AppError('failed', `The fork could not be proven and was taken back: ${proof.details.join('; ')}.`, {
    details: {
      proof: { source_unchanged: proof.sourceUnchanged, prefix_verified: proof.prefixVerified, cwd_verified: proof.cwdVerified },
    },
  })
}
