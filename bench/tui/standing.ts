// What the UI costs while it stands open beside other work: processor time with nothing to do, memory with ten tabs, two of them of
// 100 MB. The list is live all the while: a session that is written at the end of it must come up by itself.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { claudeSession } from '../generate/claude.ts'
import { largeClaudeSession, largeCodexSession, manySessionsHome } from '../generate/homes.ts'
import { createRandom } from '../generate/random.ts'
import { offshoot, runProcess } from '../measure.ts'
import { mb, printTable, type Row } from '../table.ts'
import { has, openScreen, type Screen } from './screen.ts'

const idleMs = 20_000
const allowedPercent = 1
const tabs = 10
const pages = 20
/** Nine tabs more may take as much again as the program with one. */
const allowedTimes = 2

export async function measureStanding(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    const home = makeHome(join(root, 'home'))
    const env = { PATH: process.env.PATH ?? '', HOME: home, OFFSHOOT_HOME: join(root, 'state'), LANG: 'C.UTF-8' }
    await runProcess({ argv: [process.execPath, offshoot, 'index'], env, cwd: root })
    const screen = openScreen(root, env)
    try {
      await measure(screen, home)
    } finally {
      await screen.close()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** 200 sessions, and one of 100 MB of each agent, which are the oldest. */
function makeHome(home: string): string {
  const [claude, codex] = [largeClaudeSession(100), largeCodexSession(100)]
  cpSync(join(manySessionsHome(200), '.claude'), join(home, '.claude'), { recursive: true, preserveTimestamps: true })
  const folder = join(home, '.claude', 'projects', basename(dirname(claude.path)))
  mkdirSync(folder, { recursive: true })
  cpSync(claude.path, join(folder, basename(claude.path)), { preserveTimestamps: true })
  cpSync(join(codex.home, '.codex'), join(home, '.codex'), { recursive: true, preserveTimestamps: true })
  return home
}

async function measure(screen: Screen, home: string): Promise<void> {
  await screen.until('the list', has(' turns'))
  const opened = [await openTab(screen, 0)]
  await settle()
  const oneTab = screen.residentBytes()
  const idleOne = await idlePercent(screen)
  while (opened.length < tabs) opened.push(await openTab(screen, opened.length))
  const large = opened.filter((turns) => turns > 1000).length
  if (large !== 2) throw new Error(`${large} of the tabs are large, not 2: ${opened.join(', ')} turns`)
  await settle()
  const tenTabs = screen.residentBytes()
  const idleTen = await idlePercent(screen)
  await expectLive(screen, home)
  let moved = 0
  for (const turns of opened) if (await scrollUp(screen, turns)) moved += 1
  if (moved < 2) throw new Error('no tab was scrolled')
  await settle()
  const scrolled = screen.residentBytes()

  const share = (percent: number) => `${percent.toFixed(2)} %`
  const idle = (what: string, percent: number): Row => ({
    what,
    ours: share(percent),
    peer: share(allowedPercent),
    // Nothing at all is less than the clock can tell.
    ratio: allowedPercent / Math.max(percent, 1000 / idleMs),
    wanted: 1,
  })
  printTable(`tui: processor time with nothing to do, of one core over ${idleMs / 1000} s, 202 sessions watched`, [
    idle('one tab, beside what is allowed', idleOne),
    idle('ten tabs, beside what is allowed', idleTen),
  ])
  const memory = (what: string, bytes: number): Row => ({
    what: `${what}, beside ${allowedTimes}x one tab`,
    ours: mb(bytes),
    peer: mb(oneTab * allowedTimes),
    ratio: (oneTab * allowedTimes) / bytes,
    wanted: 1,
  })
  printTable(`tui: memory (RSS), one tab ${mb(oneTab)}; of the ten, two are of 100 MB`, [
    memory('ten tabs', tenTabs),
    memory(`ten tabs, each scrolled up ${pages} pages`, scrolled),
  ])
}

/** Opens the session that stands so far from the end of the list; gives how many turns it has. */
async function openTab(screen: Screen, fromEnd: number): Promise<number> {
  screen.write('\u001b0')
  await screen.until('the list', has('all repositories'))
  screen.write(`G${'k'.repeat(fromEnd)}`)
  screen.write('\r')
  await screen.until('the session', (lines) => turnsOf(lines) > 0 && lines.some((line) => /^[●▸❯] /.test(line)))
  return turnsOf(screen.lines())
}

/** As the title of a tab says. */
function turnsOf(lines: readonly string[]): number {
  return Number(/ · (\d+) turns?\b/.exec(lines[2] ?? '')?.[1] ?? 0)
}

/** In the next tab; whether there was something above. */
async function scrollUp(screen: Screen, turns: number): Promise<boolean> {
  screen.write('\u001b[1;3C')
  await screen.until('the next tab', (lines) => turnsOf(lines) === turns && lines.some((line) => /^[●▸❯] /.test(line)))
  const end = screen.lines().join('\n')
  for (let page = 0; page < pages; page += 1) {
    screen.write('\u001b[5~')
    await sleep(50)
  }
  return screen.lines().join('\n') !== end
}

/** What was asked for last is done, and its garbage gone as far as it goes. */
const settle = () => sleep(2000)

async function idlePercent(screen: Screen): Promise<number> {
  const [before, startedAt] = [screen.processorMs(), performance.now()]
  await sleep(idleMs)
  return ((screen.processorMs() - before) / (performance.now() - startedAt)) * 100
}

async function expectLive(screen: Screen, home: string): Promise<void> {
  const random = createRandom(11)
  const [id, cwd] = [random.uuid(), '/home/dev/work/fresh']
  const lines = [...claudeSession(random, { id, cwd, version: '2.1.325', startedAt: Date.now(), turns: 2 })]
  const folder = join(home, '.claude', 'projects', '-home-dev-work-fresh')
  screen.write('\u001b0')
  await screen.until('the list', has('all repositories'))
  screen.write('g')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await screen.until('the new session', (shown) => shown.some((line) => /claude now /.test(line)))
}
