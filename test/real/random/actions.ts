// Everything a script can do, and when. An action that is not possible where a script has got to is passed over, so that any
// part of a script is a script.
import { type PromptKind, promptKinds } from './cli.ts'
import { nextWords, noteSaid, type World } from './world.ts'

export interface Action {
  readonly weight: number
  possible(world: World): boolean
  run(world: World, pick: number): Promise<void>
}

const isIdle = ({ work }: World) => work === null

/** One prompt to its end: typed where a client is open, else headless. */
function ask(kind: PromptKind, weight: number): Action {
  return {
    weight,
    possible: isIdle,
    async run(world, pick) {
      const { cli, client, current } = world
      const prompt = cli.prompt(kind, nextWords(world), pick)
      const answered = kind !== 'refused'
      const state = answered ? 'complete' : cli.refusedState
      if (client === null) {
        const run = await cli.start(current?.id ?? null, prompt)
        await run.ended()
        noteSaid(world, run.sessionId, prompt, state)
        return
      }
      await client.submit(prompt)
      await client.settle(prompt, answered)
      noteSaid(world, requireId(client.sessionId()), prompt, state)
    },
  }
}

function requireId(id: string | null): string {
  if (id === null) throw new Error('the agent has not named its session')
  return id
}

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

const asking = Object.fromEntries(promptKinds.map((kind) => [kind, ask(kind, weights[kind])])) as Record<PromptKind, Action>

const client = {
  open: {
    weight: 4,
    possible: (world) => isIdle(world) && world.client === null,
    async run(world) {
      world.client = await world.cli.open(world.current?.id ?? null)
    },
  },
  exit: {
    weight: 2,
    possible: (world) => isIdle(world) && world.client !== null,
    async run(world) {
      await world.client?.exit()
      world.client = null
    },
  },
} satisfies Record<string, Action>

export const actions = { ...asking, ...client } satisfies Record<string, Action>
export type ActionName = keyof typeof actions
