// An agent that is killed writes no end of its turn. What is said of the turn follows the process: it runs while the process lives,
// and was interrupted as soon as it does not, for every question that is asked.
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { CatalogSession } from '../../../src/model/catalog.ts'
import type { AgentId } from '../../../src/model/session.ts'
import { acceptDialogs } from '../claude/run.ts'
import { startExec } from '../codex/exec.ts'
import { openCodexTerminal } from '../codex/terminal.ts'
import { claudeVersions, codexVersions } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { openTerminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import { type AppBench, createAppBench } from './app-bench.ts'

const timeout = 180_000
type Way = 'print' | 'typed'
type Moment = 'tool' | 'answer'

let bench: AppBench | undefined
afterEach(async () => {
  await bench?.dispose()
  bench = undefined
})

interface Case {
  readonly agent: AgentId
  readonly version: string
  readonly way: Way
  readonly moment: Moment
}

const cases: Case[] = [
  ...claudeVersions.map((version) => ({ agent: 'claude' as const, version })),
  ...codexVersions.map((version) => ({ agent: 'codex' as const, version })),
].flatMap((each) =>
  (['print', 'typed'] as const).flatMap((way) => (['tool', 'answer'] as const).map((moment) => ({ ...each, way, moment }))),
)
/** Each version and each way at least once. */
const covering = cases.filter(({ version, way, moment }) => {
  const isOld = version === '2.1.197' || version === '0.142.0'
  return isOld ? way === 'print' && moment === 'tool' : way === 'typed' || moment === 'answer'
})

const prompts: Record<AgentId, Record<Moment, string>> = {
  claude: { tool: 'Kill me [[bash:node -e "setTimeout(Object, 25000)"]]', answer: 'Kill me [[stall]]' },
  codex: { tool: 'Kill me [[shell: sleep 25]]', answer: 'Kill me [[hold]]' },
}

async function createFor({ agent, version }: Case): Promise<AppBench> {
  bench = await createAppBench(
    agent === 'claude' ? (version as '2.1.325') : '2.1.325',
    agent === 'codex' ? (version as '0.166.0') : '0.166.0',
  )
  return bench
}

async function sessionOf({ app }: AppBench): Promise<CatalogSession> {
  return waitUntil('the session', async () => (await app.listSessions({}))[0])
}

/** Gives what kills it. */
async function begin(at: AppBench, { agent, way }: Case, prompt: string): Promise<() => Promise<void>> {
  const { claude, codex, app } = at
  const { sandbox } = claude
  if (agent === 'claude') {
    const id = await claude.talk(['Hello'])
    if (way === 'print') {
      const running = claude.claude.startPrint(prompt, { flags: ['--resume', id] })
      return () => running.killHard()
    }
    const terminal = await openClaude(at, id)
    await terminal.submit(prompt)
    return kill(terminal.pid)
  }
  const first = await startExec(codex, ['Hello']).ended
  expect(first.code).toBe(0)
  const { id } = (await app.listSessions({}))[0] as CatalogSession
  if (way === 'print') {
    const running = startExec(codex, ['resume', id, prompt])
    return () => running.killHard()
  }
  const terminal = await openCodexTerminal(codex, ['resume', id])
  await terminal.submit(prompt)
  sandbox.onDispose(() => terminal.close())
  return kill(terminal.pid)
}

async function openClaude({ claude: { sandbox, claude }, vars }: AppBench, id: string) {
  acceptDialogs(sandbox, sandbox.work)
  const terminal = openTerminal(sandbox, { argv: ['claude', '--resume', id], cwd: sandbox.work, env: vars })
  await terminal.waitFor(/^[❯>]/m)
  // 2.1.197 loses an Enter that comes before it says what it does.
  await waitUntil('the prompt to be ready', () => claude.version !== '2.1.197' || terminal.screen().includes('?'))
  return terminal
}

function kill(pid: number): () => Promise<void> {
  return async () => {
    process.kill(pid, 'SIGKILL')
  }
}

describe.each(wholeMatrix ? cases : covering)('$agent $version killed in its $moment ($way)', (each) => {
  it('has an interrupted turn that can be forked at once', { timeout }, async () => {
    const at = await createFor(each)
    const { app } = at
    const prompt = prompts[each.agent][each.moment]
    const end = await begin(at, each, prompt)
    const session = await sessionOf(at)
    const address = `${session.agent}:${session.id}`
    const last = async () => (await app.listTurns(session)).at(-1)
    const live = async () => (await app.resolve(address)).session.live
    await waitUntil('the turn to run', async () => {
      const turn = await last()
      return turn?.prompt === prompt && turn.state === 'running' && (await isUnderWay(at, each))
    })
    expect(await live()).toBe(true)
    const early = await app.planFork({ address, code: 'none' })
    expect(early.blockers.map(({ code }) => code)).toContain('turn_running')

    await end()
    await waitUntil('the process to be gone', async () => !(await live()))
    expect(await last()).toMatchObject({ prompt, state: 'interrupted', number: 2 })
    const states: string[] = []
    for await (const entry of app.readSession(session)) if (entry.kind === 'turn') states.push(entry.turn.state)
    expect(states).toEqual(['complete', 'interrupted'])
    expect((await app.readTurns(session, { last: 1 })).turns.map(({ state }) => state)).toEqual(states)
    const plan = await app.planFork({ address, code: 'none' })
    expect(plan.blockers).toEqual([])
    expect(plan.warnings.map(({ code }) => code)).not.toContain('source_busy')
    expect(plan.turn).toMatchObject({ number: 2, state: 'interrupted' })
    const { fork, proof } = await app.executeFork(plan, { accept: plan.confirm })
    expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true })
    const [child] = (await app.listSessions({})).filter(({ id }) => id === fork.sessionId)
    expect((await app.listTurns(child as CatalogSession)).map(({ state }) => state)).toEqual(['complete', 'interrupted'])
  })
})

/** The tool has been called, or the answer begun. */
async function isUnderWay({ app, claude, codex }: AppBench, { agent, moment }: Case): Promise<boolean> {
  if (moment === 'answer') return agent === 'claude' ? claude.api.requests.length > 1 : codex.api.requests.length > 1
  const [session] = await app.listSessions({})
  for await (const entry of app.readSession(session as CatalogSession)) {
    if (entry.kind === 'message' && entry.message.tool !== undefined) return true
  }
  return false
}

describe.each(['claude', 'codex'] as const)('a killed %s session that is opened again', (agent) => {
  it('keeps its interrupted turn while nothing is asked', { timeout }, async () => {
    const each: Case = { agent, version: agent === 'claude' ? '2.1.325' : '0.166.0', way: 'print', moment: 'tool' }
    const at = await createFor(each)
    const { app } = at
    const end = await begin(at, each, prompts[agent].tool)
    const session = await sessionOf(at)
    const last = async () => (await app.listTurns(session)).at(-1)
    await waitUntil('the turn to run', async () => (await last())?.state === 'running' && (await isUnderWay(at, each)))
    await end()
    const terminal =
      agent === 'claude' ? await openClaude(at, session.id) : await openCodexTerminal(at.codex, ['resume', session.id])
    const address = `${agent}:${session.id}`
    await waitUntil('it to be open', async () => (await app.resolve(address)).session.live)
    await waitUntil('it to wait', async () => (await last())?.state === 'interrupted')
    // Claude Code says only half a second later that it waits; until then it counts as busy.
    const plan = await waitUntil('it to be idle', async () => {
      const each = await app.planFork({ address, code: 'none' })
      return each.warnings.some(({ code }) => code === 'source_busy') ? undefined : each
    })
    expect(plan.blockers).toEqual([])
    expect(plan.turn).toMatchObject({ number: 2, state: 'interrupted' })
    terminal.close()
  })
})

it('a watcher is told when an agent is killed', { timeout }, async () => {
  bench = await createAppBench('2.1.325', '0.166.0')
  const { app, claude } = bench
  const id = randomUUID()
  const running = claude.claude.startPrint('Kill me [[stall]]', { flags: ['--session-id', id] })
  await claude.api.waitForPrompt('Kill me')
  const session = await sessionOf(bench)
  const states: string[] = []
  const watching = await app.watch(async ({ sessionId }) => {
    if (sessionId === id) states.push((await app.listTurns(session, { refresh: false })).at(-1)?.state ?? 'none')
  })
  await running.killHard()
  await expect.poll(() => states.at(-1)).toBe('interrupted')
  await watching.close()
})
