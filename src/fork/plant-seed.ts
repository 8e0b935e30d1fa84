// Gives a fresh session the transcript as its first prompt: by a file of our own (0600), which is gone as soon as it was read.
import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Agent, SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import type { SeedRequest } from '../agents/inert.ts'
import { AppError } from '../model/error.ts'
import type { Message } from '../model/session.ts'
import type { ForkSeedRecord } from '../store/fork-seeds.ts'
import type { ForkContext } from './context.ts'
import { type MadeSession, type SessionWish, seedModel, toSessionFile } from './make-session.ts'
import { acknowledgement, isAcknowledgement, seedPieces } from './seed.ts'
import { messagesForSeed } from './seed-messages.ts'
import { seenOf } from './seen.ts'
import type { SessionUndo } from './take-back.ts'
import { readOptionsFor } from './up-to.ts'

export async function plantSeed(
  context: ForkContext,
  wish: SessionWish,
  undo: SessionUndo,
  amend: (undo: SessionUndo) => void,
): Promise<MadeSession> {
  const { forkId, plan, cwd, title } = wish
  const agent = agentOf(context, plan.agent)
  const promptPath = join(makeFolder(context, 'seeds'), `${forkId}.txt`)
  const folders: string[] = []
  amend({ ...undo, promptPath })
  const hash = await writeSeed(context, wish, promptPath)
  const record = seedRecord(context, wish, hash, promptPath)
  context.store().forkSeeds.put(record)
  context.onStep?.('seed written')
  try {
    const request: SeedRequest = {
      promptPath,
      sessionId: wish.sessionId ?? '',
      cwd,
      // Where the source works the agent's process has no business, inert or not.
      runIn: plan.workspace === null ? makeFolder(context, 'empty') : cwd,
      title,
      model: seedModel(plan),
      acknowledgement,
      onCreate(folder) {
        folders.push(folder)
        amend({ ...undo, paths: folders, promptPath })
      },
    }
    const { seed } = await agent.inert()
    const { sessionId, path } = await seed(context.env, request).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'failed' ? takenBack(error.message, error) : error
    })
    const created = [path, ...folders]
    amend({ ...undo, sessionId, paths: created, promptPath })
    const answer = await checkSeeded(agent, context, hash, toSessionFile(agent.id, sessionId, path))
    context.store().forkSeeds.put({ ...record, seedPromptPath: null, seedAckFiltered: true })
    const details = [`the transcript is the session's first prompt, sha256 ${hash}, answered with ${JSON.stringify(answer)} only`]
    return { file: { sessionId, path, created }, details }
  } finally {
    rmSync(promptPath, { force: true })
  }
}

function makeFolder({ folder }: ForkContext, name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

async function writeSeed(context: ForkContext, { forkId, plan, cut, source }: SessionWish, path: string): Promise<string> {
  const hash = createHash('sha256')
  const { shortenedOutputs, turnId } = seenOf(plan)
  const agent = agentOf(context, plan.parent.agent)
  const options = readOptionsFor(cut, turnId)
  const messages = messagesForSeed(agent, options === null ? [] : agent.read(source, context.env, options))
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const piece of seedPieces(messages, { forkId, parent: plan.parent, shortenedOutputs })) {
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
    parentWorkspace: seenOf(plan).parentWorkspace,
    createdAt: context.now(),
    seedPromptHash: hash,
    seedPromptPath: path,
    tokenEstimate: plan.tokens.estimate,
    contextWindow: plan.tokens.contextWindow,
    seedAckFiltered: false,
  }
}

/** Reads the session back: the seed, then its acknowledgement, and nothing else. Gives the answer as it stands there. */
async function checkSeeded(agent: Agent, { env }: ForkContext, hash: string, file: SessionFile): Promise<string> {
  const said: Message[] = []
  for await (const entry of agent.read(file, env)) {
    // What the harness puts in is no answer.
    if (entry.kind === 'message' && entry.message.role !== 'system') said.push(entry.message)
  }
  const [prompt, answer, ...more] = said
  if (prompt?.role !== 'user' || hashOf(prompt.text) !== hash)
    throw unproven('the new session does not hold the transcript that was sent to it')
  if (answer === undefined) throw unproven(`${agent.label} did not answer`)
  const tools = said.flatMap(({ tool }) => tool?.name ?? [])
  if (tools.length > 0) throw unproven(`${agent.label} used tools (${tools.slice(0, 5).join(', ')}) instead of acknowledging it`)
  if (answer.role !== 'assistant' || more.length > 0 || !isAcknowledgement(answer.text)) {
    const text = answer.text.trim().slice(0, 80)
    throw unproven(`${agent.label} answered ${JSON.stringify(text)} instead of acknowledging it`)
  }
  return answer.text.trim()
}

/** Agents take line breaks off the end of a prompt. */
function hashOf(prompt: string): string {
  return createHash('sha256').update(`${prompt.trimEnd()}\n`).digest('hex')
}

function unproven(why: string): AppError {
  return takenBack(`it could not be proven, ${why}.`)
}

function takenBack(why: string, cause?: unknown): AppError {
  return new AppError('failed', `The fork was taken back: ${why}`, { hint: 'Try again.', cause })
}
