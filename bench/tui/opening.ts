// Opening a session shows its last turns: it must not matter how much stands before. First what reading costs, then all a person
// waits for: from Enter on the list to the last answer on the screen.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { largeClaudeSession, largeCodexSession } from '../generate/homes.ts'
import { median, offshoot, report, runProcess } from '../measure.ts'
import { ms, printTable, type Row } from '../table.ts'
import { has, openScreen } from './screen.ts'

/** As many as a tab opens with. */
const turns = 30
const pages = 20
const rounds = 7
const wanted = 0.5

interface Report {
  readonly first: { readonly ms: number; readonly messages: number }
  readonly again: readonly number[]
  readonly scrolled: readonly number[]
}

export async function measureOpening(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  const homes = [
    { agent: 'Claude', large: largeClaudeSession(100).home, small: largeClaudeSession(1).home },
    { agent: 'Codex', large: largeCodexSession(100).home, small: largeCodexSession(1).home },
  ]
  try {
    const rows: Row[] = []
    for (const { agent, large, small } of homes) {
      const pair = {
        large: { home: large, state: join(state, `${agent}-large`) },
        small: { home: small, state: join(state, `${agent}-small`) },
      }
      rows.push(...(await reading(agent, pair)), await onScreen(agent, pair))
    }
    printTable(`tui: the last ${turns} turns of a session of 100 MB, beside one of 1 MB`, rows)
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

interface Home {
  readonly home: string
  readonly state: string
}

interface Pair<T> {
  readonly large: T
  readonly small: T
}

/** The two sides take turns, after a round that catalogues them. */
async function takeTurns<T>({ large, small }: Pair<Home>, open: (home: Home) => Promise<T>): Promise<Pair<T[]>> {
  const found: Pair<T[]> = { large: [], small: [] }
  await open(large)
  await open(small)
  for (let round = 0; round < rounds; round += 1) {
    found.large.push(await open(large))
    found.small.push(await open(small))
  }
  return found
}

async function reading(agent: string, pair: Pair<Home>): Promise<Row[]> {
  const reports = await takeTurns(pair, async ({ home, state }) => {
    const opened = await report<Report>('open', [home, state, String(turns), String(pages)])
    if (opened.first.messages < turns) throw new Error('not all was read')
    return opened
  })
  const row = (what: string, of: (each: Report) => number, beside = of): Row => {
    const [ours, peer] = [median(reports.large.map(of)), median(reports.small.map(beside))]
    return { what: `${agent}, ${what}`, ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted }
  }
  const again = (each: Report) => median(each.again)
  return [
    row('read, first of a process', ({ first }) => first.ms),
    row('read once more', again),
    row('a page up, beside reading', ({ scrolled }) => median(scrolled), again),
  ]
}

async function onScreen(agent: string, pair: Pair<Home>): Promise<Row> {
  for (const { home, state } of [pair.large, pair.small])
    await runProcess({ argv: [process.execPath, offshoot, 'index'], env: envOf(home, state), cwd: state })
  const times = await takeTurns(pair, async ({ home, state }) => {
    rmSync(join(state, 'tui.json'), { force: true }) // else the tab is open already
    const screen = openScreen(state, envOf(home, state)) // no repository: all sessions are listed
    try {
      await screen.until('the list', has(' turns'))
      const startedAt = performance.now()
      screen.write('\r')
      return (
        (await screen.until('its end', (lines) => has(`ask ${agent};`)(lines) && lines.some((line) => /^[●▸❯] /.test(line)))) -
        startedAt
      )
    } finally {
      await screen.close()
    }
  })
  const [ours, peer] = [median(times.large), median(times.small)]
  return { what: `${agent}, from Enter to the screen`, ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted }
}

const envOf = (home: string, state: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  OFFSHOOT_HOME: state,
  LANG: 'C.UTF-8',
})
