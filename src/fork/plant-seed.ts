// Gives a fresh session the transcript as its first prompt: by a file of our own (0600), which is gone as soon as it was read.
import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { agentOf } from '../agents/agent-of.ts'
import { AppError } from '../model/error.ts'
import type { Message } from '../model/session.ts'
import type { ForkSeedRecord } from '../store/fork-seeds.ts'
import type { ForkContext } from './context.ts'
import { type MadeSession, type SessionWish, toSessionFile } from './make-session.ts'
import { acknowledgement, seedPieces } from './seed.ts'
import { seenOf } from './seen.ts'
import type { SessionUndo } from './take-back.ts'
import { readOptionsFor } from './up-to.ts'

export async function plantSeed(
  context: ForkContext,
  wish: SessionWish,
  undo: SessionUndo,
  amend: (undo: SessionUndo) => void,
): Promise<MadeSession> {
  const { forkId, plan, cwd } = wish
  const agent = agentOf(context, plan.agent)
  const folder = join(context.folder, 'seeds')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const promptPath = join(folder, `${forkId}.txt`)
  amend({ ...undo, promptPath })
  const hash = await writeSeed(context, wish, promptPath)
  const record = seedRecord(context, wish, hash, promptPath)
  context.store().forkSeeds.put(record)
  context.onStep?.('seed written')
  try {
    const run = await agent.runSeed(context.env, { promptPath, sessionId: wish.sessionId ?? '', cwd })
    amend({ ...undo, sessionId: run.sessionId, paths: [run.path], promptPath })
    const isAcknowledged = run.acknowledgement.trim() === acknowledgement
    context.store().forkSeeds.put({ ...record, seedPromptPath: null, seedAckFiltered: isAcknowledged })
    const found = await hashFirstPrompt(context, wish, run.sessionId, run.path)
    if (found !== hash) throw new AppError('failed', 'The new session does not hold the transcript that was sent to it.')
    const answered = isAcknowledged ? 'was acknowledged' : `was answered with ${JSON.stringify(run.acknowledgement.slice(0, 80))}`
    const details = [`the transcript is the session's first prompt, sha256 ${hash}, and ${answered}`]
    return { file: { sessionId: run.sessionId, path: run.path, created: [run.path] }, details }
  } finally {
    rmSync(promptPath, { force: true })
  }
}

async function writeSeed(context: ForkContext, { forkId, plan, cut, source }: SessionWish, path: string): Promise<string> {
  const hash = createHash('sha256')
  const { shortenedOutputs, turnId } = seenOf(plan)
  const agent = agentOf(context, plan.parent.agent)
  async function* messages(): AsyncGenerator<Message> {
    const options = readOptionsFor(cut, turnId)
    if (options === null) return
    for await (const entry of agent.read(source, context.env, options)) if (entry.kind === 'message') yield entry.message
  }
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const piece of seedPieces(messages(), { forkId, shortenedOutputs })) {
      const bytes = Buffer.from(piece)
      hash.update(bytes)
      yield bytes
    }
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  return hash.digest('hex')
}

function seedRecord(context: ForkContext, { forkId, plan }: SessionWish, hash: string, path: string): ForkSeedRecord {
  return {
    id: forkId,
    agent: plan.agent,
    parentAgent: plan.parent.agent,
    parentSessionId: plan.parent.sessionId,
    parentWorkspace: seenOf(plan).repository?.root ?? null,
    createdAt: context.now(),
    seedPromptHash: hash,
    seedPromptPath: path,
    tokenEstimate: plan.tokens.estimate,
    contextWindow: plan.tokens.contextWindow,
    seedAckFiltered: false,
  }
}

/** As the agent kept it. Both CLIs take line breaks off the end. */
async function hashFirstPrompt(
  context: ForkContext,
  { plan }: SessionWish,
  sessionId: string,
  path: string,
): Promise<string | null> {
  const agent = agentOf(context, plan.agent)
  for await (const entry of agent.read(toSessionFile(agent.id, sessionId, path), context.env)) {
    if (entry.kind !== 'message' || entry.message.role !== 'user') continue
    return createHash('sha256').update(`${entry.message.text.trimEnd()}\n`).digest('hex')
  }
  return null
}
