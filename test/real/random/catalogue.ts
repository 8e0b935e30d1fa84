// A catalogue that has lived through the script must say what one says that sees everything for the first time.
import type { App } from '../../../src/app.ts'
import type { CatalogSession } from '../../../src/model/catalog.ts'
import type { Turn } from '../../../src/model/session.ts'
import { withFreshApp } from './fresh-app.ts'
import { Disagreement } from './judge.ts'
import type { World } from './world.ts'

const attempts = 4

export async function checkCatalogue(world: World): Promise<void> {
  let difference = ''
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const lived = await describe(world, world.app)
    const fresh = await withFreshApp(world, (app) => describe(world, app))
    difference = firstDifference(lived, fresh)
    if (difference === '') return
    // An agent at work may have written in between: what is wrong stays wrong.
  }
  throw new Disagreement('catalogue', difference)
}

interface Known {
  readonly text: string
  /** Only an archive has it, or a part of it. */
  readonly isArchived: boolean
  readonly isBroken: boolean
}

async function describe({ sessions }: World, app: App): Promise<Map<string, Known>> {
  const known = new Map<string, Known>()
  for (const session of await app.listSessions()) {
    const turns = await app.listTurns(session, { deadBranches: true, refresh: false })
    const isOurs = sessions.some(({ id, byOffshoot }) => id === session.id && byOffshoot)
    const text = JSON.stringify({ ...plain(session, isOurs), turns: turns.map(withoutSnapshot) }, null, 1)
    known.set(session.id, { text, isArchived: session.state === 'gone', isBroken: session.broken !== null })
  }
  return known
}

/** A fork by offshoot has a title, a place and a parent's turn that only the catalogue can know that saw it being made. */
function plain({ title, titleFrom, cwd, branch, parent, ...session }: CatalogSession, isOurs: boolean): object {
  if (isOurs) return { ...session, parent: parent?.sessionId }
  return { ...session, title, titleFrom, cwd, branch, parent }
}

/** What was captured is a fact of the catalogue that lived, not of the session's files. */
function withoutSnapshot({ snapshot, ...turn }: Turn): object {
  return turn
}

function firstDifference(lived: ReadonlyMap<string, Known>, fresh: ReadonlyMap<string, Known>): string {
  for (const id of new Set([...lived.keys(), ...fresh.keys()])) {
    const [ours, theirs] = [lived.get(id), fresh.get(id)]
    // What the agent has lost, or the parent of a fork, may be in the archive of the catalogue that has lived.
    if (ours?.isArchived || (theirs?.isBroken && !ours?.isBroken)) continue
    if (ours?.text === theirs?.text) continue
    return `${id}\n- the catalogue that has lived   + a fresh one\n${differingLines(ours?.text, theirs?.text)}`
  }
  return ''
}

function differingLines(ours = 'not listed', theirs = 'not listed'): string {
  const [left, right] = [ours.split('\n'), theirs.split('\n')]
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [left[at] ?? '', right[at] ?? ''])
  return rows
    .flatMap(([a, b]) => (a === b ? [] : [`- ${a}\n+ ${b}`]))
    .slice(0, 40)
    .join('\n')
}
