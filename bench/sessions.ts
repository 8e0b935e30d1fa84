// `offshoot sessions` as a whole process beside a process that calls the Agent SDK's listSessions() over the same sessions, and
// reading one large session beside its getSessionMessages().
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { largeClaudeSession, manySessionsHome } from './generate/homes.ts'
import { type Command, compare, median, offshoot, report, subject } from './measure.ts'
import { ensurePeers } from './peers.ts'
import { mb, ms, printTable } from './table.ts'

const count = 2000

export async function run(): Promise<void> {
  await ensurePeers()
  const home = manySessionsHome(count)
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    await listing(home, state)
    await reading()
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

async function listing(home: string, state: string): Promise<void> {
  const env = {
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CODEX_HOME: join(home, '.codex'),
    OFFSHOOT_HOME: join(state, 'home'),
  }
  const ours: Command = {
    argv: [process.execPath, offshoot, 'sessions', '--all', '--json', '--limit', '100000'],
    env,
    cwd: state,
    check: (stdout) => checkListing(JSON.parse(stdout).sessions),
  }
  const peer: Command = {
    argv: [process.execPath, subject('sdk'), 'list'],
    env,
    cwd: state,
    check: (stdout) => expectCount('listSessions()', JSON.parse(stdout).count),
  }
  const fresh: Command = { ...ours, before: () => rmSync(env.OFFSHOOT_HOME, { recursive: true, force: true }) }

  const first = await compare(fresh, peer, 3)
  const second = await compare(ours, peer, 7)
  printTable('sessions: 2,000 sessions, whole process, beside the SDK listSessions()', [
    { what: 'first run, no database', ours: ms(first.ours), peer: ms(first.peer), ratio: first.peer / first.ours, wanted: 1 },
    { what: 'second run', ours: ms(second.ours), peer: ms(second.peer), ratio: second.peer / second.ours, wanted: 10 },
  ])
}

/** All sessions, each of them read: a listing that put off its reading would show no turns. */
function checkListing(sessions: readonly { turns: number }[]): void {
  expectCount('offshoot sessions', sessions.length)
  const unread = sessions.filter(({ turns }) => turns === 0).length
  if (unread > 0) throw new Error(`offshoot sessions shows ${unread} sessions without a turn`)
}

function expectCount(who: string, listed: number): void {
  if (listed !== count) throw new Error(`${who} lists ${listed} of ${count} sessions`)
}

async function reading(): Promise<void> {
  const large = largeClaudeSession(77)
  const env = { HOME: large.home, CLAUDE_CONFIG_DIR: join(large.home, '.claude') }
  const times: { ours: number[]; peer: number[] } = { ours: [], peer: [] }
  let memory = { ours: 0, peer: 0 }
  for (let round = 0; round < 5; round += 1) {
    const ours = await report<{ times: number[]; peakBytes: number }>('read', ['neutral', 'claude', large.home, '1'], env)
    const peer = await report<{ ms: number; count: number; peakBytes: number }>('sdk', ['messages', large.id, large.cwd], env)
    if (peer.count === 0) throw new Error('getSessionMessages() found nothing')
    times.ours.push(...ours.times)
    times.peer.push(peer.ms)
    memory = { ours: Math.max(memory.ours, ours.peakBytes), peer: Math.max(memory.peer, peer.peakBytes) }
  }
  const [ours, peer] = [median(times.ours), median(times.peer)]
  printTable('sessions: one session of 77 MB, in a fresh process, beside the SDK getSessionMessages()', [
    { what: 'time', ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted: null },
    { what: 'peak memory', ours: mb(memory.ours), peer: mb(memory.peer), ratio: memory.peer / memory.ours, wanted: null },
  ])
}
