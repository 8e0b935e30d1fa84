// Forks every turn of a real Codex session by every strategy that applies, sends one prompt in each child, and holds what the
// model API received against the parent's prefix; then one more prompt in the parent.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import type { Abilities, AgentEnv } from '../../../src/agents/agent-env.ts'
import { whyNotNative, whyNotOld } from '../../../src/agents/codex/choose-fork.ts'
import { findForkPoint } from '../../../src/agents/codex/fork-point.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { ForkedFile } from '../../../src/agents/forking.ts'
import type { ReadOptions, SessionSummary } from '../../../src/agents/reading.ts'
import type { Cut } from '../../../src/model/fork.ts'
import { coveringForks } from '../codex/covering-forks.ts'
import { execResume } from '../codex/exec.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { codexRules, fromReader, historyBefore } from '../codex/received.ts'
import { fingerprint } from '../codex/rollouts.ts'
import type { Made, Scenario } from '../codex/scenarios/scenario.ts'
import { type CodexVersion, codexVersions } from '../lib/agents.ts'
import { compareHistory, type SeenItem } from '../lib/history.ts'
import { type Cell, describeSelection, type Selection, selectCells, turnsToFork, wholeMatrix } from '../lib/matrix.ts'
import { envWith } from './codex-env.ts'
import { countFork } from './table.ts'

export function runCodexForks(title: string, scenarios: readonly Scenario[]): void {
  const selection = selectForks(scenarios)
  console.log(describeSelection(title, selection))
  describe.each(selection.run)(`${title} $version: $scenario.name`, ({ scenario, version }) => {
    it(`forks at ${wholeMatrix ? 'every turn and call' : 'its first turn, its first and last call and its end'}`, {
      timeout: 240_000,
    }, async () => {
      const home = await createCodexHome(version)
      try {
        const made = await scenario.make(home)
        const used = made.resumeWith === undefined ? home : home.as(made.resumeWith)
        await new Forks(used, scenario, made).run()
      } finally {
        await home.dispose()
      }
    })
  })
}

function selectForks(scenarios: readonly Scenario[]): Selection<Scenario, CodexVersion> {
  const all = selectCells(scenarios, codexVersions, true).run
  const isCovering = ({ scenario, version }: Cell<Scenario, CodexVersion>) => coveringForks.has(`${version} ${scenario.name}`)
  if (wholeMatrix) return { run: all, leftOut: [] }
  return { run: all.filter(isCovering), leftOut: all.filter((cell) => !isCovering(cell)) }
}

interface Case {
  readonly cut: Cut
  readonly where: string
  readonly expected: readonly SeenItem[]
  readonly turnIds: readonly string[]
}

class Forks {
  private readonly home: CodexHome
  private readonly scenario: Scenario
  private readonly made: Made
  private readonly env: AgentEnv
  private readonly cwd: string
  private readonly untouched: ReadonlyMap<string, string>
  private readonly file: SessionFile

  constructor(home: CodexHome, scenario: Scenario, made: Made) {
    this.home = home
    this.scenario = scenario
    this.made = made
    this.env = envWith(home)
    this.cwd = join(home.sandbox.root, 'child')
    home.sandbox.git(home.work, 'worktree', 'add', '--quiet', '-b', 'child', this.cwd)
    this.untouched = fingerprint(home)
    this.file = this.find(made.threadId)
  }

  async run(): Promise<void> {
    if (this.made.broken) {
      await this.refuses()
      return
    }
    const abilities = await codex.abilities(this.env)
    expect(abilities.version).toBe(this.home.version)
    for (const each of await this.cases()) await this.fork(each, abilities)
    await this.goOn()
  }

  private async refuses(): Promise<void> {
    const target = { sessionId: randomUUID(), cwd: this.cwd, title: 'Fork of it', forkedAt: Date.now() }
    await expect(codex.writePrefix(this.file, this.env, { kind: 'tip' }, target)).rejects.toMatchObject({
      code: 'parent_missing',
    })
  }

  /** Turns, those of dead branches too, the tip, the start, and inside of turns at tool calls. */
  private async cases(): Promise<Case[]> {
    const { turns, deadTurns } = await codex.summarise(this.file, this.env)
    const cases: Case[] = [{ cut: { kind: 'start' }, where: 'the start', expected: [], turnIds: [] }]
    const add = async (cut: Cut, where: string, options: ReadOptions) => cases.push({ cut, where, ...(await this.read(options)) })
    for (const { id, number } of [...turnsToFork(turns), ...turnsToFork(deadTurns)]) {
      await add({ kind: 'turn', turnId: id }, `turn ${number ?? id}`, { upTo: { turnId: id } })
    }
    await add({ kind: 'tip' }, 'the tip', {})
    const calls: string[] = []
    for await (const entry of codex.read(this.file, this.env)) {
      if (entry.kind === 'message' && entry.message.role === 'tool') calls.push(entry.message.id)
    }
    for (const id of calls.filter((_, at) => wholeMatrix || at === 0 || at === calls.length - 1)) {
      await add({ kind: 'message', messageId: id }, `call ${id}`, { upTo: { messageId: id } })
    }
    return cases
  }

  private async read(options: ReadOptions): Promise<Pick<Case, 'expected' | 'turnIds'>> {
    const turnIds: string[] = []
    for await (const entry of codex.read(this.file, this.env, options)) if (entry.kind === 'turn') turnIds.push(entry.turn.id)
    return { turnIds, expected: await fromReader(codex.read(this.file, this.env, { view: 'context', ...options })) }
  }

  private async fork(each: Case, abilities: Abilities): Promise<void> {
    const { cut } = each
    const { file, env } = this
    const target = () => ({ sessionId: randomUUID(), cwd: this.cwd, title: 'Fork of it', forkedAt: Date.now() })
    await this.check('prefix', each, await codex.writePrefix(file, env, cut, target()))
    const { strategy } = await codex.chooseFork(file, env, cut, { abilities, launched: false, busy: false })
    const point = await findForkPoint(file, env, cut)
    const obstacle = whyNotNative(file, cut, point) ?? (abilities.forkAtTurn ? null : whyNotOld(cut, point, abilities.version))
    expect(strategy, each.where).toBe(obstacle === null ? 'native' : 'prefix')
    if (strategy !== 'native') return
    const child = await codex.forkNatively?.(file, env, cut, target())
    if (child === undefined) throw new Error('Codex can fork by itself')
    await this.check('native', each, child)
  }

  private async check(strategy: string, each: Case, child: ForkedFile): Promise<void> {
    const when = `${each.where} by ${strategy}`
    const found = this.find(child.sessionId)
    expect.soft(found.path, when).toBe(child.path)
    this.checkSummary(await codex.summarise(found, this.env), each, when)
    const prompt = `a word in the child of ${when}`
    await this.checkRequest(child.sessionId, prompt, this.cwd, each.expected, when)
    const now = fingerprint(this.home)
    for (const [path, hash] of this.untouched) expect.soft(now.get(path), `${path} as it was`).toBe(hash)
    countFork({ agent: 'codex', version: this.home.version, strategy, scenario: this.scenario.name })
  }

  private checkSummary(summary: SessionSummary, { turnIds }: Case, when: string): void {
    expect
      .soft(
        summary.turns.map(({ id }) => id),
        when,
      )
      .toEqual(turnIds)
    expect.soft(summary.inheritedTurns, when).toBe(turnIds.length)
    expect.soft(summary.parent, when).toMatchObject({ sessionId: this.file.id, turnId: turnIds.at(-1) ?? null })
    const { cwd, branch, title, broken } = summary
    expect
      .soft({ cwd, branch, title, broken }, when)
      .toEqual({ cwd: this.cwd, branch: 'child', title: 'Fork of it', broken: null })
  }

  private async checkRequest(
    id: string,
    prompt: string,
    cwd: string,
    expected: readonly SeenItem[],
    when: string,
  ): Promise<void> {
    const sent = this.home.api.requests.length
    await execResume(this.home, id, prompt, { cwd })
    const request = this.home.api.requests.slice(sent).find(({ threadId }) => threadId === id)
    if (request === undefined) throw new Error(`${when}: the model was asked nothing`)
    const prompts = new Set([...this.made.turns, ...(this.made.deadTurns ?? [])].map((turn) => turn.prompt))
    const { diff } = compareHistory(expected, historyBefore(request.input, prompts), codexRules)
    expect.soft(diff, when).toBe('')
    expect.soft(JSON.stringify(request.input.at(-1)), when).toContain(prompt)
  }

  private async goOn(): Promise<void> {
    const { expected } = await this.read({})
    await this.made.beforeResume?.()
    await this.checkRequest(this.file.id, 'and the parent goes on', this.made.resumeIn ?? this.home.work, expected, 'the parent')
  }

  private find(threadId: string): SessionFile {
    const file = [...codex.discover(this.env)].find(({ id }) => id === threadId)
    if (file === undefined) throw new Error(`our reader does not find ${threadId}`)
    return file
  }
}
