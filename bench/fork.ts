// Forking a Claude session of 77 MB in its middle: our writer beside the Agent SDK's forkSession(), then the whole process beside
// what it cannot do without. Every child is read back, outside the measured time, and removed again.
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionFile } from '../src/agents/agent.ts'
import { claude } from '../src/agents/claude/index.ts'
import { claudeFolder } from './generate/claude.ts'
import { largeClaudeSession } from './generate/homes.ts'
import { median, offshoot, report, runProcess } from './measure.ts'
import { ensurePeers } from './peers.ts'
import { mb, ms, printTable } from './table.ts'

const runs = 5

interface Forked {
  readonly ms: number
  readonly peakBytes: number
  readonly sessionId: string
}

interface Cut {
  readonly turnId: string
  readonly turns: number
  readonly messageId: string
  readonly messages: number
}

export async function run(): Promise<void> {
  await ensurePeers()
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-bench-fork-')))
  try {
    await measureIn(home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** A copy of the session that ran in a folder that is there: a child needs one to start in. */
function copySession(home: string): { id: string; cwd: string } {
  const large = largeClaudeSession(77)
  const cwd = join(home, 'work')
  const folder = join(home, '.claude', 'projects', claudeFolder(cwd))
  mkdirSync(cwd)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${large.id}.jsonl`), readFileSync(large.path, 'utf8').replaceAll(large.cwd, cwd))
  return { id: large.id, cwd }
}

async function measureIn(home: string): Promise<void> {
  const { id, cwd } = copySession(home)
  const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') }
  const agentEnv = { home, vars: {} }
  const files = (): SessionFile[] => [...claude.discover(agentEnv)]
  const cut = await findMiddle(sessionOf(id))

  const forkBySdk = () => report<Forked>('fork', ['sdk', id, cwd, cut.messageId], env)
  const writer = await measure(() => report<Forked>('fork', ['ours', home, cut.turnId, randomUUID(), cwd], env), forkBySdk)
  printTable(`fork: a session of 77 MB at turn ${cut.turns}, in a fresh process, beside the SDK forkSession()`, [
    { what: 'time', ours: ms(writer.ours.ms), peer: ms(writer.peer.ms), ratio: writer.peer.ms / writer.ours.ms, wanted: 2 },
    {
      what: 'peak memory',
      ours: mb(writer.ours.peakBytes),
      peer: mb(writer.peer.peakBytes),
      ratio: writer.peer.peakBytes / writer.ours.peakBytes,
      wanted: 2.5,
    },
  ])
  await wholeProcess()

  function sessionOf(sessionId: string): SessionFile {
    const file = files().find((each) => each.id === sessionId)
    if (file === undefined) throw new Error(`there is no session ${sessionId}`)
    return file
  }

  /** A child must hold every message up to the cut, and no more. */
  async function checkAndRemove(sessionId: string): Promise<void> {
    const child = sessionOf(sessionId)
    const { turns } = await claude.summarise(child, agentEnv)
    let messages = 0
    for await (const entry of claude.read(child, agentEnv)) if (entry.kind === 'message') messages += 1
    if (turns.length !== cut.turns || messages !== cut.messages)
      throw new Error(`the child has ${turns.length} turns and ${messages} messages, not ${cut.turns} and ${cut.messages}`)
    rmSync(child.path)
  }

  async function findMiddle(source: SessionFile): Promise<Cut> {
    const { turns } = await claude.summarise(source, agentEnv)
    const middle = turns[Math.floor(turns.length / 2)]
    if (middle === undefined) throw new Error('the session has no turns')
    let messages = 0
    let messageId = ''
    for await (const entry of claude.read(source, agentEnv, { upTo: { turnId: middle.id } })) {
      if (entry.kind !== 'message') continue
      messages += 1
      messageId = entry.message.id
    }
    return { turnId: middle.id, turns: middle.number ?? 0, messageId, messages }
  }

  async function measure(ours: () => Promise<Forked>, peer: () => Promise<Forked>) {
    const all: { ours: Forked[]; peer: Forked[] } = { ours: [], peer: [] }
    for (let round = 0; round <= runs; round += 1) {
      for (const [side, fork] of [
        ['ours', ours],
        ['peer', peer],
      ] as const) {
        const forked = await fork()
        await checkAndRemove(forked.sessionId)
        // The first round only warms up.
        if (round > 0) all[side].push(forked)
      }
    }
    const sum = (each: Forked[]) => ({
      ms: median(each.map((one) => one.ms)),
      peakBytes: Math.max(...each.map((one) => one.peakBytes)),
    })
    return { ours: sum(all.ours), peer: sum(all.peer) }
  }

  /** Beside it what is allowed: starting Node twice, and half of what the SDK takes to fork; all three take turns. */
  async function wholeProcess(): Promise<void> {
    const ownEnv = { ...env, CODEX_HOME: join(home, '.codex'), OFFSHOOT_HOME: join(home, '.offshoot') }
    const flags = ['--at', String(cut.turns), '--code', 'none', '--terminal', 'none', '--yes', '--json']
    const times: { ours: number[]; node: number[]; sdk: number[] } = { ours: [], node: [], sdk: [] }
    for (let round = 0; round <= runs; round += 1) {
      const argv = [process.execPath, offshoot, 'fork', `claude:${id}`, ...flags]
      const { ms: took, stdout } = await runProcess({ argv, env: ownEnv, cwd })
      const children = files().filter((each) => each.id !== id)
      if (children.length !== 1) throw new Error(`${children.length} children after one fork: ${stdout}`)
      for (const child of children) await checkAndRemove(child.id)
      const node = await runProcess({ argv: [process.execPath, '-e', '0'] })
      const sdk = await forkBySdk()
      await checkAndRemove(sdk.sessionId)
      if (round === 0) continue
      times.ours.push(took)
      times.node.push(node.ms)
      times.sdk.push(sdk.ms)
    }
    const [ours, peer] = [median(times.ours), 2 * median(times.node) + 0.5 * median(times.sdk)]
    printTable('fork: the whole process with --code none, beside what is allowed: node -e 0 twice and half of forkSession()', [
      { what: 'offshoot fork', ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted: 1 },
    ])
  }
}
