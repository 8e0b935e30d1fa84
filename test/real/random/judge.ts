// The judge. After each action it asks three witnesses of every session that changed: offshoot's reading (what the model will be
// sent), offshoot's list of turns, and the API, which receives a history when the agent itself resumes a copy of the home.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogSession } from '../../../src/model/catalog.ts'
import type { Turn } from '../../../src/model/session.ts'
import type { SeenItem } from '../lib/history.ts'
import type { Cli, Probe, ProbeKind } from './cli.ts'
import { withFreshApp } from './fresh-app.ts'
import type { KnownSession, Said, World } from './world.ts'

export type FaultKind = 'context' | 'turn context' | 'turns' | 'chain' | 'source' | 'listing' | 'refused' | 'fork' | 'catalogue'

/** Offshoot and the agent disagree. */
export class Disagreement extends Error {
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string) {
    super(message)
    this.kind = kind
  }
}

interface Reading {
  /** `null`: not listed. */
  readonly session: CatalogSession | null
  readonly turns: readonly Turn[]
  readonly context: readonly SeenItem[]
  /** What the model has seen at the end of each turn, by its prompt. */
  readonly upTo: ReadonlyMap<string, readonly SeenItem[]>
  /** Ids of turns and of messages, as reading the whole session yields them. */
  readonly chain: { readonly turnIds: readonly string[]; readonly messageIds: readonly string[] }
}

export async function judge(world: World, how: ProbeKind): Promise<void> {
  for (const session of world.sessions) {
    const isSame = fingerprint(world.cli, session) === session.judged
    if (isSame && statesOf(session) === session.judgedStates) continue
    if (session.away !== null) await judgeAbsent(world, session)
    else if (isSame) await judgeStates(world, session)
    else await judgeSession(world, session, how)
    session.judgedStates = statesOf(session)
  }
}

function statesOf({ said }: KnownSession): string {
  return said.map(({ state }) => state).join()
}

/** Its files are the same, who is at work is not: the model would be sent what it would have been sent before. */
async function judgeStates(world: World, session: KnownSession): Promise<void> {
  if (session.told.length > 0) checkTurns(session, (await read(world, session)).turns)
}

async function judgeAbsent(world: World, session: KnownSession): Promise<void> {
  session.judged = fingerprint(world.cli, session)
  const { session: listed } = await read(world, session)
  if (listed !== null) throw new Disagreement('listing', `${session.id} is listed though its file is away`)
}

async function judgeSession(world: World, session: KnownSession, how: ProbeKind): Promise<void> {
  const { cli } = world
  if (cli.files(session.id).length === 0) return // a client that nobody has talked to
  const { reading, probe } = await witnesses(world, session, how)
  if (probe.refused !== null) {
    const isEmpty = reading.session === null || reading.turns.length === 0 || reading.session.broken !== null
    session.told = [] // so that nobody goes on with it
    if (isEmpty) return
    throw new Disagreement('refused', `${cli.name} does not resume ${session.id}: ${probe.refused}`)
  }
  if (reading.session === null) throw new Disagreement('listing', `offshoot does not list ${session.id}`)
  if (reading.session.broken !== null) throw new Disagreement('listing', `${session.id}: ${reading.session.broken}`)
  learn(cli, session, probe)
  if (cli.isReadOtherwise?.(session.id) === true) return
  const diff = probe.diff(reading.context)
  if (diff !== '') throw new Disagreement('context', diff)
  checkPromise(session, probe)
  checkTurns(session, reading.turns)
  checkDeadTurns(cli, session, reading.turns)
  checkChain(reading)
  checkEachTurn(world, session, reading)
  session.upTo = reading.upTo
}

/** Which prompts are live is what the API was told; those a summary stands for are live as well, where the files hold them. */
function learn(cli: Cli, session: KnownSession, { prompts, summaries }: Probe): void {
  const said = new Set(session.said.map(({ prompt }) => prompt))
  for (const text of summaries) {
    if (session.summarised.has(text)) continue
    const request = cli.summarised?.(text, said) ?? { prompts: session.live, summaries: [] }
    const before = request.summaries.flatMap((each) => session.summarised.get(each) ?? [])
    session.summarised.set(text, [...before, ...request.prompts.filter((prompt) => !isAstray(session, prompt))])
  }
  session.told = prompts
  session.compacted = summaries.flatMap((text) => session.summarised.get(text) ?? [])
  const live = new Set([...prompts, ...session.compacted.filter((prompt) => cli.holds(session.id, prompt))])
  session.live = session.said.flatMap(({ prompt }) => (live.has(prompt) ? [prompt] : []))
}

/** An interrupted agent may write a prompt typed ahead beside the conversation: it has it in mind, and does not find it again. */
function isAstray({ said, live }: KnownSession, prompt: string): boolean {
  return !live.includes(prompt) && said.some((each) => each.prompt === prompt && each.typedAhead)
}

function checkPromise(session: KnownSession, probe: Probe): void {
  const { promised, live } = session
  session.promised = null
  if (promised === null) return
  const { prompts, context } = promised
  if (prompts.join('\n') !== live.join('\n')) {
    throw new Disagreement('fork', `the fork holds\n${live.join('\n')}\ninstead of\n${prompts.join('\n')}`)
  }
  const diff = context === undefined ? '' : probe.diff(context)
  if (diff !== '') throw new Disagreement('fork', `the parent up to the turn, and what the fork's model is told\n${diff}`)
}

function checkTurns(session: KnownSession, turns: readonly Turn[]): void {
  // A compaction or a command typed by hand is a turn without a prompt to some agents.
  const isPrompted = ({ number, prompt }: Turn) => number !== null && prompt !== ''
  const isUnsure = (prompt: string) => session.putBack.has(prompt) && !session.live.includes(prompt)
  const listed = turns.filter(isPrompted).filter(({ prompt }) => !isUnsure(prompt))
  const isLive = ({ prompt, joined }: Said) => !joined && session.live.includes(prompt)
  const wanted = session.said.filter(isLive)
  const isEqual = (turn: Turn, at: number) => turn.prompt === wanted[at]?.prompt && ['any', turn.state].includes(wanted[at].state)
  if (listed.length !== wanted.length || !listed.every(isEqual)) {
    const show = (each: readonly { state: string; prompt: string }[]) => each.map(({ state, prompt }) => `${state}: ${prompt}`)
    throw new Disagreement('turns', ['offshoot lists', ...show(listed), 'instead of', ...show(wanted)].join('\n'))
  }
}

/** What was answered and is not live any more stays addressable; what is live is not called dead. */
function checkDeadTurns(cli: Cli, session: KnownSession, turns: readonly Turn[]): void {
  const dead = turns.filter(({ number }) => number === null).map(({ prompt }) => prompt)
  const alive = dead.filter((prompt) => session.live.includes(prompt))
  if (alive.length > 0) throw new Disagreement('turns', `called dead, and told to the model:\n${alive.join('\n')}`)
  const isLeft = ({ prompt, state, joined, inherited }: Said) =>
    state === 'complete' &&
    !joined &&
    !inherited &&
    !session.live.includes(prompt) &&
    !session.putBack.has(prompt) &&
    cli.holds(session.id, prompt)
  const missing = session.said.filter((said) => isLeft(said) && !dead.includes(said.prompt)).map(({ prompt }) => prompt)
  if (missing.length > 0) throw new Disagreement('turns', `neither live nor dead, though on disk:\n${missing.join('\n')}`)
}

/** Reading the whole session yields each listed turn once and in order, and no message twice. */
function checkChain({ turns, chain }: Reading): void {
  const listed = turns.filter(({ number }) => number !== null).map(({ id }) => id)
  if (listed.join('\n') !== chain.turnIds.join('\n')) {
    throw new Disagreement('chain', `listed turns\n${listed.join('\n')}\nread turns\n${chain.turnIds.join('\n')}`)
  }
  const twice = chain.messageIds.filter((id, at) => chain.messageIds.indexOf(id) !== at)
  if (twice.length > 0) throw new Disagreement('chain', `messages read twice: ${twice.join(', ')}`)
}

/**
 * The session read up to a turn is what the model was told in front of the next one: what a fork at that turn must hold. Left out
 * where a compaction came between the two.
 */
function checkEachTurn({ cli }: World, session: KnownSession, { upTo }: Reading): void {
  const prompts = new Set(session.said.map(({ prompt }) => prompt))
  const turns = session.said.filter(({ prompt, joined }) => !joined && session.live.includes(prompt))
  for (const [at, { prompt, by }] of turns.entries()) {
    const before = turns[at - 1]?.prompt
    // A client sends what it has in mind, without what another one said and wrote meanwhile, be that live or not.
    const earlier = session.said.slice(
      0,
      session.said.findIndex((said) => said.prompt === prompt),
    )
    if (by !== null && earlier.some(({ unheardBy }) => unheardBy === by)) continue
    if (turns[at - 1]?.state === 'any') continue // another client spoke before it had ended
    const told = cli.toldBefore(session.id, prompt, prompts)
    const context = before === undefined ? undefined : upTo.get(before)
    if (told === null || before === undefined || context === undefined) continue
    // It had a prompt in mind that the agent itself does not find again.
    if (told.prompts.some((each) => !session.live.includes(each))) continue
    // Or the agent finds one again that the client had taken back.
    if (session.live.some((each) => session.putBack.has(each) && !told.prompts.includes(each))) continue
    const summaries = cli.toldBefore(session.id, before, prompts)?.summaries
    if (summaries?.join() !== told.summaries.join()) continue
    const diff = told.diff(context)
    if (diff !== '') throw new Disagreement('turn context', `up to "${before}", in front of "${prompt}"\n${diff}`)
  }
}

/** Reading and copying see the same bytes: an agent that writes meanwhile makes us look again. */
async function witnesses(world: World, session: KnownSession, how: ProbeKind): Promise<{ reading: Reading; probe: Probe }> {
  const { cli } = world
  const prompts = new Set(session.said.map(({ prompt }) => prompt))
  for (let attempt = 1; ; attempt += 1) {
    const before = fingerprint(cli, session)
    const reading = await read(world, session)
    const probe = await cli.probe(session.id, how, prompts)
    session.judged = fingerprint(cli, session)
    if (session.judged === before) return { reading, probe }
    if (world.client === null && world.work === null) {
      throw new Disagreement('source', `the files of ${session.id} changed while nobody but offshoot was there`)
    }
    if (attempt === 5) throw new Error(`the files of ${session.id} never stand still`)
  }
}

async function read(world: World, { id }: KnownSession): Promise<Reading> {
  return withFreshApp(world, async (app) => {
    const session = (await app.listSessions()).find((each) => each.id === id) ?? null
    const chain = { turnIds: [] as string[], messageIds: [] as string[] }
    const upTo = new Map<string, readonly SeenItem[]>()
    if (session === null) return { session, turns: [], context: [], upTo, chain }
    const turns = await app.listTurns(session, { deadBranches: true, refresh: false })
    const context = await world.cli.seen(app.readSession(session, { view: 'context' }))
    for await (const entry of app.readSession(session)) {
      if (entry.kind === 'turn') chain.turnIds.push(entry.turn.id)
      else if (entry.kind === 'message') chain.messageIds.push(entry.message.id)
    }
    for (const { id: turnId, prompt, number } of turns) {
      if (number === null || prompt === '') continue
      upTo.set(prompt, await world.cli.seen(app.readSession(session, { view: 'context', upTo: { turnId } })))
    }
    return { session, turns, context, upTo, chain }
  })
}

export function fingerprint(cli: Cli, { id }: KnownSession): string {
  const hash = createHash('sha256')
  for (const path of cli.files(id).flatMap(filesBelow).sort()) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

function filesBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )
}
