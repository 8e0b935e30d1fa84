// Actions on sessions as wholes: opened, left, forked, cleared, moved; and what a user does with offshoot meanwhile.
import { mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Actions, active, chosen, clientOf, isHeadless, isTyped, requireId } from './action.ts'
import { checkCatalogue } from './catalogue.ts'
import { forkByOffshoot } from './fork.ts'
import { activeSession, addSession, closeClient, type KnownSession, nextWords, noteSaid, type World } from './world.ts'

/** The agent can resume it. */
const isThere = ({ away, told }: KnownSession) => away === null && told.length > 0
const isOn = (world: World) => {
  const session = activeSession(world)
  return session !== null && isThere(session)
}

/** A native fork holds what the agent would go on from. */
function noteFork(world: World, parent: KnownSession, id: string): KnownSession {
  return addSession(world, id, parent, parent.live)
}

/** Nobody has it open. */
const isClosed = (world: World, session: KnownSession) =>
  session.away === null && world.work?.session !== session && !(world.client !== null && activeSession(world) === session)

export const sessionActions = {
  open: {
    weight: 6,
    possible: (world) => isHeadless(world) && (world.current === null || isThere(world.current)),
    async run(world) {
      world.client = await world.cli.open(world.current?.id ?? null)
    },
  },
  exit: {
    weight: 2,
    possible: isTyped,
    async run(world) {
      await clientOf(world).exit()
      closeClient(world)
    },
  },
  new: {
    weight: 1,
    possible: (world) => isHeadless(world) && world.current !== null,
    async run(world) {
      world.current = null
    },
  },
  switch: {
    weight: 2,
    possible: (world) => isHeadless(world) && world.sessions.filter(isThere).length > 1,
    async run(world, pick) {
      world.current = chosen(world.sessions.filter(isThere), pick)
    },
  },
  clear: {
    weight: 1,
    possible: (world) => isTyped(world) && isOn(world),
    run: (world) => clientOf(world).clear(),
  },
  'fork-native': {
    weight: 2,
    possible: (world) => isHeadless(world) && isOn(world) && world.cli.fork !== undefined,
    async run(world) {
      const parent = active(world)
      const prompt = nextWords(world)
      const id = requireId((await world.cli.fork?.(parent.id, prompt)) ?? null)
      noteFork(world, parent, id)
      noteSaid(world, id, prompt, 'complete')
    },
  },
  'open-fork': {
    weight: 1,
    possible: (world) => isHeadless(world) && isOn(world) && world.cli.openFork !== undefined,
    async run(world) {
      const parent = active(world)
      world.client = (await world.cli.openFork?.(parent.id)) ?? null
      world.current = noteFork(world, parent, requireId(clientOf(world).sessionId()))
    },
  },
  branch: {
    weight: 1,
    possible: (world) => isTyped(world) && isOn(world) && clientOf(world).branch !== undefined,
    async run(world) {
      const parent = active(world)
      // Nothing is left to branch after going back to the first prompt.
      if (!(await clientOf(world).branch?.())) return
      const id = requireId(clientOf(world).sessionId())
      // It holds what the client has in mind, which may be more than what the parent's file leads to.
      const held = parent.said.map(({ prompt }) => prompt).filter((prompt) => world.cli.holds(id, prompt))
      world.current = addSession(world, id, parent, [...new Set([...parent.live, ...held])])
    },
  },
  fork: {
    weight: 5,
    possible: (world) => world.sessions.some(isThere),
    async run(world, pick) {
      await forkByOffshoot(world, chosen(world.sessions.filter(isThere), pick), Math.floor(pick / 7))
    },
  },
  second: {
    weight: 2,
    possible: (world) => world.client !== null && isOn(world),
    async run(world) {
      const session = active(world)
      const prompt = nextWords(world)
      const run = await world.cli.start(session.id, prompt)
      await run.ended()
      if (!world.cli.isTold(prompt)) return
      const { said } = noteSaid(world, session.id, prompt, 'complete')
      said.by = null
      said.unheardBy = world.client
      if (world.work === null) return
      world.work.contested = true
      world.work.said.state = 'any'
    },
  },
  hooks: {
    weight: 2,
    possible: () => true,
    async run(world) {
      const { app, cli } = world
      const request = { agents: [cli.agent] }
      if (world.hooks) await app.uninstallHooks(request)
      else await app.installHooks(request)
      world.hooks = !world.hooks
    },
  },
  away: {
    weight: 1,
    possible: (world) => world.sessions.some((session) => isThere(session) && isClosed(world, session)),
    async run(world, pick) {
      const { cli, sessions } = world
      const session = chosen(
        sessions.filter((each) => isThere(each) && isClosed(world, each)),
        pick,
      )
      const folder = join(cli.sandbox.root, 'away', session.id)
      mkdirSync(folder, { recursive: true })
      session.away = cli.files(session.id).map((from) => ({ from, to: join(folder, basename(from)) }))
      for (const { from, to } of session.away) renameSync(from, to)
      judgeAll(world)
    },
  },
  back: {
    weight: 4,
    possible: (world) => world.sessions.some(({ away }) => away !== null),
    async run(world, pick) {
      const session = chosen(
        world.sessions.filter(({ away }) => away !== null),
        pick,
      )
      for (const { from, to } of session.away ?? []) renameSync(to, from)
      session.away = null
      judgeAll(world)
    },
  },
  refresh: {
    weight: 4,
    possible: ({ sessions }) => sessions.length > 0,
    run: checkCatalogue,
  },
} satisfies Actions

/** What one session can be read as may depend on the files of another. */
function judgeAll({ sessions }: World): void {
  for (const session of sessions) session.judged = ''
}
