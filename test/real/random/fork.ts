// Forks by offshoot itself. What the child must hold is known before: the prompts up to the turn; the judge then asks the API.
import { AppError } from '../../../src/model/error.ts'
import { chosen } from './action.ts'
import { Disagreement, fingerprint } from './judge.ts'
import { addSession, type KnownSession, type World } from './world.ts'

export async function forkByOffshoot(world: World, parent: KnownSession, pick: number): Promise<void> {
  const { app, cli, work } = world
  const turns = parent.said.filter(({ prompt, joined }) => !joined && parent.live.includes(prompt))
  const turn = chosen(turns, pick)
  if (turn.state === 'any') return // whether it runs is not known
  const isRunning = work?.said === turn
  const { session } = await app.resolve(`${cli.agent}:${parent.id}`)
  const listed = (await app.listTurns(session)).find(({ prompt }) => prompt === turn.prompt)
  if (listed === undefined) throw new Disagreement('turns', `"${turn.prompt}" is not among the turns to fork at`)
  const address = `${cli.agent}:${parent.id}@${listed.id}`
  try {
    const plan = await app.planFork({ address, code: 'none', terminal: 'none', strategy: pick % 2 === 0 ? 'auto' : 'prefix' })
    const blockers = plan.blockers.map(({ code }) => code)
    if (isRunning && blockers.includes('turn_running')) return
    const before = fingerprint(cli, parent)
    const { fork } = await app.executeFork(plan, { accept: plan.confirm })
    const isClosed = world.client === null && work === null
    if (isClosed && fingerprint(cli, parent) !== before) throw new Disagreement('source', `forking ${address} changed its files`)
    if (isRunning) throw new Disagreement('fork', `${address} was forked though its turn runs`)
    const kept = parent.said.slice(0, parent.said.indexOf(turn) + 1).map(({ prompt }) => prompt)
    // What was typed meanwhile belongs to the turn it was handed to.
    const joined = parent.said.slice(kept.length).findIndex((said) => !said.joined)
    const more = parent.said.slice(kept.length, joined === -1 ? undefined : kept.length + joined).map(({ prompt }) => prompt)
    const promised = [...kept, ...more].filter((prompt) => parent.live.includes(prompt))
    const child = addSession(world, fork.sessionId, parent, promised)
    child.byOffshoot = true
    child.promised = { prompts: promised, context: parent.upTo.get(turn.prompt) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (isRunning && ['busy', 'turn_running'].includes(error.code)) return
    throw new Disagreement('fork', `${address} (${turn.state}) cannot be forked: ${error.code}: ${error.message}`)
  }
}
