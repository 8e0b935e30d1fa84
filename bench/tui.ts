// What a person waits for in the terminal UI. Opening a session shows its last turns: it must not matter how much stands before.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { largeClaudeSession, largeCodexSession } from './generate/homes.ts'
import { median, report } from './measure.ts'
import { ms, printTable, type Row } from './table.ts'

/** As many as a tab opens with. */
const turns = 30
const pages = 20
const rounds = 7

interface Report {
  readonly first: { readonly ms: number; readonly messages: number }
  readonly again: readonly number[]
  readonly scrolled: readonly number[]
}

export async function run(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    printTable(`tui: the last ${turns} turns of a session of 100 MB, beside one of 1 MB`, [
      ...(await opening('Claude', largeClaudeSession(100).home, largeClaudeSession(1).home, state)),
      ...(await opening('Codex', largeCodexSession(100).home, largeCodexSession(1).home, state)),
    ])
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

async function opening(agent: string, large: string, small: string, state: string): Promise<Row[]> {
  const open = async (home: string, folder: string) => {
    const opened = await report<Report>('open', [home, join(state, `${agent} ${folder}`), String(turns), String(pages)])
    if (opened.first.messages < turns) throw new Error('not all was read')
    return opened
  }
  await open(large, 'large')
  await open(small, 'small')
  const reports: { large: Report[]; small: Report[] } = { large: [], small: [] }
  for (let round = 0; round < rounds; round += 1) {
    reports.large.push(await open(large, 'large'))
    reports.small.push(await open(small, 'small'))
  }
  const row = (what: string, of: (each: Report) => number, beside = of): Row => {
    const [ours, peer] = [median(reports.large.map(of)), median(reports.small.map(beside))]
    return { what: `${agent}, ${what}`, ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted: 0.5 }
  }
  const again = (each: Report) => median(each.again)
  return [
    row('first of a process', ({ first }) => first.ms),
    row('once more', again),
    row('a page up, beside opening', ({ scrolled }) => median(scrolled), again),
  ]
}
