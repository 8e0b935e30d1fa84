// Actions inside a session: prompts, and everything that can happen to one before it is answered.
import { waitUntil } from '../lib/wait.ts'
import {
  type Action,
  type Actions,
  active,
  chosen,
  clientOf,
  hasPlaces,
  isFree,
  isHeadless,
  isTyped,
  places,
  requireId,
} from './action.ts'
import { type Hold, type PromptKind, promptKinds, type RewindPoint } from './cli.ts'
import { activeSession, closeClient, type KnownSession, nextWords, noteSaid, type Said, type Work, type World } from './world.ts'

const weights: Readonly<Record<PromptKind, number>> = {
  plain: 6,
  tool: 4,
  parallel: 2,
  failing: 1,
  long: 1,
  think: 1,
  edit: 1,
  subagent: 1,
  refused: 1,
}

/** One prompt to its end: typed where a client is open, else headless. */
function ask(kind: PromptKind): Action {
  return {
    weight: weights[kind],
    possible: isFree,
    async run(world, pick) {
      const { cli, client, current } = world
      const prompt = cli.prompt(kind, nextWords(world), pick)
      const state = kind === 'refused' ? cli.refusedState : 'complete'
      if (client === null) {
        const run = await cli.start(current?.id ?? null, prompt)
        await run.ended()
        // An agent does not resume a fork whose parent is away: nothing was said then.
        if (cli.isTold(prompt)) noteSaid(world, requireId(run.sessionId), prompt, state)
      } else {
        await client.submit(prompt)
        const isOnDisk = await client.settle(prompt)
        noteSaid(world, requireId(client.sessionId()), prompt, isOnDisk ? state : 'any')
      }
    },
  }
}

/** A prompt whose turn does not end until another action ends it. */
function begin(hold: Hold): Action {
  return {
    weight: 3,
    possible: isFree,
    async run(world) {
      const { cli, client, current } = world
      const { prompt, release } = cli.heldPrompt(hold, nextWords(world))
      const headless = client === null ? await cli.start(current?.id ?? null, prompt) : null
      await client?.submit(prompt)
      if (!cli.isTold(prompt)) return
      const id = requireId(headless === null ? clientOf(world).sessionId() : headless.sessionId)
      await cli.underway(id, prompt, hold)
      world.work = { ...noteSaid(world, id, prompt, 'running'), headless, hold, steer: null, contested: false, release }
    },
  }
}

function workOf({ work }: World): Work {
  if (work === null) throw new Error('nobody works')
  return work
}

function endWork(world: World, state: Said['state']): void {
  const { said, contested } = workOf(world)
  said.state = contested ? 'any' : state
  world.work = null
}

const isWorking = ({ work }: World) => work !== null

/** What was typed meanwhile is either handed to the turn that ran, or begins one of its own; the agent decides. */
async function settleSteer(world: World, { steer }: Work): Promise<void> {
  const { cli, client } = world
  if (steer === null || client === null) return
  await waitUntil(`"${steer.prompt}" to be told to the model`, () => cli.isTold(steer.prompt))
  const isOnDisk = await client.settle(steer.prompt)
  steer.joined = cli.joinedTurn(steer.prompt)
  steer.state = isOnDisk ? 'complete' : 'any'
}

/** How many prompts ago the model was told this one; a client counts those that joined a turn as well. */
function promptsSince({ client }: World, { told, said }: KnownSession, prompt: string): number {
  const unheard = said.filter(({ unheardBy }) => unheardBy !== null && unheardBy === client).map((each) => each.prompt)
  const heard = told.filter((each) => !unheard.includes(each))
  return heard.length - heard.indexOf(prompt)
}

/** `go` returns whether the client did it. */
async function goBack(world: World, pick: number, go: (prompt: string, back: number) => Promise<boolean>): Promise<void> {
  const prompt = chosen(places(world).slice(-3), pick)
  if (!(await go(prompt, promptsSince(world, active(world), prompt)))) return
  world.rewoundTo = prompt
  const { kept, putBack } = active(world)
  if (kept.includes(prompt)) for (const each of kept.slice(kept.indexOf(prompt))) putBack.add(each)
}

/** Two turns in a row, of which the first was answered. */
function rewindPoints(world: World): RewindPoint[] {
  const session = activeSession(world)
  const from = places(world)
  return from.flatMap((kept, at) => {
    const dropped = from[at + 1]
    const isAnswered = session?.said.some(({ prompt, state }) => prompt === kept && state === 'complete') ?? false
    return session === null || dropped === undefined || !isAnswered
      ? []
      : [{ kept, dropped, back: promptsSince(world, session, dropped) }]
  })
}

export const turnActions = {
  ...(Object.fromEntries(promptKinds.map((kind) => [kind, ask(kind)])) as Record<PromptKind, Action>),
  'begin-tool': begin('tool'),
  'begin-answer': begin('answer'),
  steer: {
    weight: 4,
    possible: ({ work }) => work !== null && work.headless === null && work.steer === null,
    async run(world) {
      const prompt = nextWords(world, 'steer')
      await clientOf(world).steer(prompt)
      const work = workOf(world)
      work.steer = noteSaid(world, work.session.id, prompt, 'running').said
      work.steer.typedAhead = true
      if (work.hold !== 'answer' || !world.cli.steeringEndsAnswer) return
      await settleSteer(world, work)
      work.release()
      endWork(world, 'complete')
    },
  },
  finish: {
    weight: 6,
    possible: isWorking,
    async run(world) {
      const work = workOf(world)
      work.release()
      const isOnDisk = work.headless === null ? await clientOf(world).settle(work.said.prompt) : true
      await work.headless?.ended()
      await settleSteer(world, work)
      endWork(world, isOnDisk ? 'complete' : 'any')
    },
  },
  interrupt: {
    weight: 4,
    possible: isWorking,
    async run(world) {
      const work = workOf(world)
      if (work.headless === null) await clientOf(world).interrupt(work.said.prompt)
      else await work.headless.interrupt()
      await settleSteer(world, work)
      endWork(world, 'interrupted')
    },
  },
  kill: {
    weight: 3,
    possible: ({ work, client }) => work !== null || client !== null,
    async run(world) {
      const { work, client } = world
      if (work?.headless != null) await work.headless.kill()
      else {
        await client?.kill()
        closeClient(world)
      }
      if (work?.steer != null) work.steer.state = 'interrupted'
      work?.release()
      if (work !== null) endWork(world, 'interrupted')
    },
  },
  compact: {
    weight: 3,
    possible: (world) => hasPlaces(world) && (isTyped(world) || (isHeadless(world) && world.cli.compact !== undefined)),
    async run(world) {
      if (world.client === null) await world.cli.compact?.(active(world).id)
      else await world.client.compact()
    },
  },
  rewind: {
    weight: 4,
    possible: (world) => isTyped(world) && hasPlaces(world),
    run: (world, pick) => goBack(world, pick, (dropped, back) => clientOf(world).rewind({ dropped, back }, pick % 2 === 1)),
  },
  'rewind-headless': {
    weight: 2,
    possible: (world) => isHeadless(world) && world.cli.rewind !== undefined && rewindPoints(world).length > 0,
    async run(world, pick) {
      const prompt = nextWords(world)
      await world.cli.rewind?.(active(world).id, chosen(rewindPoints(world), pick), prompt)
      noteSaid(world, active(world).id, prompt, 'complete')
    },
  },
  'summarise-from': {
    weight: 1,
    possible: (world) => isTyped(world) && hasPlaces(world) && clientOf(world).summarise !== undefined,
    run: (world, pick) => goBack(world, pick, async (prompt) => (await clientOf(world).summarise?.(prompt, 'from')) ?? false),
  },
  'summarise-up-to': {
    weight: 1,
    possible: (world) => isTyped(world) && places(world).length > 1 && clientOf(world).summarise !== undefined,
    async run(world, pick) {
      const prompt = chosen(places(world).slice(1), pick)
      const kept = places(world).slice(places(world).indexOf(prompt))
      if (await clientOf(world).summarise?.(prompt, 'up to')) active(world).kept = kept
    },
  },
} satisfies Actions
