// The oracle: what our reader says the model has seen equals what the stand-in API really receives, when the session is resumed
// and, from the log, in front of every single turn that ran. The CLI's own list of turns is the second witness.
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { SessionSummary } from '../../../src/agents/reading.ts'
import { codexVersions } from '../lib/agents.ts'
import { compareHistory } from '../lib/history.ts'
import { describeSelection, selectCells, wholeMatrix } from '../lib/matrix.ts'
import { startAppServer } from './app-server.ts'
import { coveringForks } from './covering-forks.ts'
import { execResume, startExec } from './exec.ts'
import { type CodexHome, createCodexHome } from './home.ts'
import { beforePrompt, codexRules, fromReader, historyBefore, promptRequest } from './received.ts'
import { fingerprint } from './rollouts.ts'
import type { ExpectedTurn, Made } from './scenarios/scenario.ts'
import { scenarios } from './scenarios.ts'

const planned = selectCells(scenarios, codexVersions)
const isForked = ({ scenario }: (typeof planned.run)[number]) =>
  codexVersions.some((v) => coveringForks.has(`${v} ${scenario.name}`))
const selection = wholeMatrix
  ? planned
  : { run: planned.run.filter((cell) => !isForked(cell)), leftOut: [...planned.leftOut, ...planned.run.filter(isForked)] }
console.log(describeSelection('codex', selection))

const nextPrompt = 'What have we got so far?'

describe.each(selection.run)('codex $version: $scenario.name', ({ scenario, version }) => {
  it('is read as the model sees it', { timeout: 120_000 }, async () => {
    const home = await createCodexHome(version)
    try {
      const made = await scenario.make(home)
      const untouched = fingerprint(home)
      const file = discovered(home, made)
      const summary = await codex.summarise(file, home.sandbox.agentEnv)
      checkSummary(summary, made)
      const context = await fromReader(codex.read(file, home.sandbox.agentEnv, { view: 'context' }))
      await checkEveryTurn(home, file, made, summary)
      await checkWholeChain(home, file, summary)
      expect(fingerprint(home), 'reading leaves every file as it was').toEqual(untouched)

      if (made.broken) {
        const { code } = await startExec(home, ['resume', made.threadId, nextPrompt]).ended
        expect(code, 'the CLI cannot resume it either').not.toBe(0)
        return
      }
      if (made.listed !== false) await checkListing(home, made, summary)
      await made.beforeResume?.()
      const resumed = made.resumeWith ? home.as(made.resumeWith) : home
      const sent = home.api.requests.length
      await execResume(resumed, made.threadId, nextPrompt, made.resumeIn === undefined ? {} : { cwd: made.resumeIn })
      const request = home.api.requests.slice(sent).find(({ threadId }) => threadId === made.threadId)
      if (request === undefined) throw new Error('the resumed session asked the model nothing')
      expect(compareHistory(context, historyBefore(request.input, promptsOf(made)), codexRules).diff).toBe('')
      await checkAfterResume(home, made, summary)
    } finally {
      await home.dispose()
    }
  })
})

function discovered(home: CodexHome, made: Made): SessionFile {
  const problems: string[] = []
  const files = [...codex.discover(home.sandbox.agentEnv, (path, problem) => problems.push(`${path}: ${problem}`))]
  expect(problems).toEqual([])
  const [file, ...more] = files.filter(({ id }) => id === made.threadId)
  if (file === undefined) throw new Error(`our reader does not find ${made.threadId}`)
  expect(more, 'a thread is one session, whatever its files').toEqual([])
  expect(file.archived).toBe(made.archived ?? false)
  return file
}

function checkSummary(summary: SessionSummary, made: Made): void {
  expect(summary.id).toBe(made.threadId)
  expect(shown(summary.turns)).toEqual(shown(made.turns))
  expect(summary.turns.map(({ number }) => number)).toEqual(made.turns.map((_, index) => index + 1))
  for (const [index, { id }] of made.turns.entries()) if (id !== undefined) expect(summary.turns[index]?.id).toBe(id)
  expect(shown(summary.deadTurns).sort()).toEqual(shown(made.deadTurns ?? []).sort())
  expect(summary.deadTurns.every(({ number }) => number === null)).toBe(true)
  expect(summary.skipped, 'every line is understood').toEqual({})
  expect(summary.inheritedTurns).toBe(made.broken ? 0 : (made.parent?.inherited ?? 0))
  if (made.parent === undefined) expect(summary.parent).toBeNull()
  else {
    expect(summary.parent).toMatchObject({ sessionId: made.parent.threadId, kind: 'native' })
    if (!made.broken) expect(summary.parent?.turnId).toBe(made.parent.turnId)
  }
  if (made.broken) expect(summary.broken).toContain(made.parent?.threadId)
  else expect(summary.broken).toBeNull()
}

function promptsOf({ turns, deadTurns = [] }: Made): ReadonlySet<string> {
  return new Set([...turns, ...deadTurns].map(({ prompt }) => prompt))
}

function shown(turns: readonly ExpectedTurn[]): string[] {
  return turns.map(
    ({ prompt, state = 'complete', afterCompaction }) => `${state}${afterCompaction ? ', compacted' : ''}: ${prompt}`,
  )
}

/** Dead turns too: the first request of a turn carries exactly what stands in front of it on its own branch. */
async function checkEveryTurn(home: CodexHome, file: SessionFile, made: Made, summary: SessionSummary): Promise<void> {
  const whole = made.copiesPart ? summary.turns.slice(made.parent?.inherited) : summary.turns
  for (const { id: turnId, prompt } of [...whole, ...summary.deadTurns]) {
    const request = promptRequest(home.api.requests, turnId)
    if (request === undefined || prompt === '') continue
    const entries = codex.read(file, home.sandbox.agentEnv, { view: 'context', upTo: { turnId } })
    const before = await beforePrompt(entries, turnId, prompt)
    if (made.broken) continue
    const { diff } = compareHistory(before, historyBefore(request.input, promptsOf(made)), codexRules)
    expect(diff, `in front of "${prompt}"`).toBe('')
  }
}

/** The whole chain across compactions: each turn once and in order, no message twice. */
async function checkWholeChain(home: CodexHome, file: SessionFile, summary: SessionSummary): Promise<void> {
  const turnIds: string[] = []
  const messageIds: string[] = []
  for await (const entry of codex.read(file, home.sandbox.agentEnv)) {
    if (entry.kind === 'turn') turnIds.push(entry.turn.id)
    else if (entry.kind === 'message') messageIds.push(entry.message.id)
  }
  expect(turnIds).toEqual(summary.turns.map(({ id }) => id))
  expect(new Set(messageIds).size).toBe(messageIds.length)
  expect(messageIds.length).toBe(summary.messages)
}

async function checkListing(home: CodexHome, made: Made, summary: SessionSummary): Promise<void> {
  const server = await startAppServer(made.resumeWith ? home.as(made.resumeWith) : home)
  const params = { threadId: made.threadId, limit: 100, sortDirection: 'asc' }
  const { data } = await server.request<{ data: { id: string; status: string }[] }>('thread/turns/list', params)
  await server.stop()
  const states = { complete: 'completed', running: 'interrupted', interrupted: 'interrupted', failed: 'failed' }
  const ours = summary.turns.slice(made.unlisted ?? 0)
  expect(ours.map(({ id, state }) => `${id} ${states[state]}`)).toEqual(data.map(({ id, status }) => `${id} ${status}`))
}

/** The resumed turn is added, a killed one is now known to be over, and reading on gives the same as reading anew. */
async function checkAfterResume(home: CodexHome, made: Made, before: SessionSummary): Promise<void> {
  const env = home.sandbox.agentEnv
  const file = discovered(home, { ...made, archived: false })
  const anew = await codex.summarise(file, env)
  const now = made.turns.map((turn) => (turn.state === 'running' ? { ...turn, state: 'interrupted' as const } : turn))
  const afterCompaction = anew.turns.at(-1)?.afterCompaction ?? false
  expect(shown(anew.turns)).toEqual(shown([...now, { prompt: nextPrompt, afterCompaction }]))
  expect(anew.turns.map(({ id }) => id).slice(0, before.turns.length)).toEqual(before.turns.map(({ id }) => id))
  expect(await codex.summarise(file, env, before)).toEqual(anew)
}
