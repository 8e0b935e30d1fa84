// The judge. After each action it asks three witnesses of every session that changed: offshoot's reading (what the model will be
// sent), offshoot's list of turns, and the API, which receives a history when the agent itself resumes a copy of the home.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type App, createApp } from '../../../src/app.ts'
import type { CatalogSession } from '../../../src/model/catalog.ts'
import type { Turn } from '../../../src/model/session.ts'
import type { SeenItem } from '../lib/history.ts'
import type { Cli, Probe, ProbeKind } from './cli.ts'
import type { KnownSession, World } from './world.ts'

export type FaultKind = 'context' | 'turns' | 'source' | 'unlisted' | 'refused'

/** Offshoot and the agent disagree. */
export class Disagreement extends Error {
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string) {
    super(message)
    this.kind = kind
  }
}

interface Reading {
  readonly session: CatalogSession | null
  readonly turns: readonly Turn[]
  readonly context: readonly SeenItem[]
}

export async function judge(world: World, how: ProbeKind): Promise<void> {
  for (const session of world.sessions) {
    const now = fingerprint(world.cli, session)
    if (now === session.judged) continue
    await judgeSession(world, session, how)
  }
}

async function judgeSession(world: World, session: KnownSession, how: ProbeKind): Promise<void> {
  const { cli } = world
  const { reading, probe } = await witnesses(world, session, how)
  if (probe.refused !== null) throw new Disagreement('refused', `${cli.name} does not resume ${session.id}: ${probe.refused}`)
  if (reading.session === null) throw new Disagreement('unlisted', `offshoot does not list ${session.id}`)
  learn(session, probe)
  const diff = probe.diff(reading.context)
  if (diff !== '') throw new Disagreement('context', diff)
  checkTurns(session, reading.turns)
}

/** Which prompts are live is what the API was told; those a summary stands for are live as well. */
function learn(session: KnownSession, { prompts, summaries }: Probe): void {
  for (const text of summaries) if (!session.summarised.has(text)) session.summarised.set(text, session.live)
  const told = new Set([...prompts, ...summaries.flatMap((text) => session.summarised.get(text) ?? [])])
  session.live = session.said.flatMap(({ prompt }) => (told.has(prompt) ? [prompt] : []))
}

function checkTurns(session: KnownSession, turns: readonly Turn[]): void {
  const shown = turns.filter(({ number }) => number !== null).map(({ prompt, state }) => `${state}: ${prompt}`)
  const wanted = session.said.flatMap(({ prompt, state }) => (session.live.includes(prompt) ? [`${state}: ${prompt}`] : []))
  if (shown.join('\n') !== wanted.join('\n')) {
    throw new Disagreement('turns', `offshoot lists\n${shown.join('\n')}\ninstead of\n${wanted.join('\n')}`)
  }
}

/** Reading and copying see the same bytes: an agent that writes meanwhile makes us look again. */
async function witnesses(world: World, session: KnownSession, how: ProbeKind): Promise<{ reading: Reading; probe: Probe }> {
  const { cli } = world
  const prompts = new Set(session.said.map(({ prompt }) => prompt))
  for (let attempt = 1; ; attempt += 1) {
    const before = fingerprint(cli, session)
    const reading = await read(cli, session)
    const probe = await cli.probe(session.id, how, prompts)
    session.judged = fingerprint(cli, session)
    if (session.judged === before) return { reading, probe }
    if (world.client === null && world.work === null) {
      throw new Disagreement('source', `the files of ${session.id} changed while nobody but offshoot was there`)
    }
    if (attempt === 5) throw new Error(`the files of ${session.id} never stand still`)
  }
}

/** As a user sees it who has just installed offshoot: nothing is catalogued yet. */
async function read(cli: Cli, { id }: KnownSession): Promise<Reading> {
  return withFreshApp(cli, async (app) => {
    const session = (await app.listSessions()).find((each) => each.id === id) ?? null
    if (session === null) return { session, turns: [], context: [] }
    return {
      session,
      turns: await app.listTurns(session, { deadBranches: true }),
      context: await cli.seen(app.readSession(session, { view: 'context' })),
    }
  })
}

let freshHomes = 0

async function withFreshApp<T>({ sandbox, vars }: Cli, work: (app: App) => Promise<T>): Promise<T> {
  freshHomes += 1
  const folder = join(sandbox.root, `fresh-${freshHomes}`)
  const { home, work: cwd } = sandbox
  const app = createApp({ home, vars: { ...vars, OFFSHOOT_HOME: folder }, cwd, now: Date.now })
  try {
    return await work(app)
  } finally {
    app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function fingerprint(cli: Cli, { id }: KnownSession): string {
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
