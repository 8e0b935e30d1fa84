// How long a key takes to show on the screen, with nothing else to do and while a real Claude Code streams 2,000 tokens a second
// into the tab. The keys are letters typed into the composer: each must stand there before the next is pressed.
import { type ChildProcess, spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { claudeCommand } from '../../test/real/lib/agents.ts'
import { createSandbox, type Sandbox } from '../../test/real/lib/sandbox.ts'
import { runProcess, subject } from '../measure.ts'
import { ms, percentile, printTable } from '../table.ts'
import { has, lacks, openScreen, type Screen } from './screen.ts'

const rate = 2000
const seconds = 20
const keys = 200
const wantedMs = 50

export async function measureKeys(): Promise<void> {
  const sandbox = createSandbox()
  const api = await startApi()
  sandbox.onDispose(() => {
    api.child.kill('SIGTERM')
  })
  try {
    const env = prepareClaude(sandbox, api.url)
    await runProcess({ argv: [...claudeCommand('2.1.325'), '-p', 'hello'], env, cwd: sandbox.work })
    const screen = openScreen(sandbox.work, env)
    try {
      await compareKeys(screen, api)
    } finally {
      await screen.close()
    }
  } finally {
    await sandbox.dispose()
  }
}

async function compareKeys(screen: Screen, api: Api): Promise<void> {
  await screen.until('the list', has('1 turn'))
  screen.write('\r')
  await screen.until('the session', has('● Ok.'))
  await typeKeys(screen, 20)
  const idle = await typeKeys(screen, keys)
  screen.write(`stream ${seconds}`)
  await screen.until('the prompt', has(`❯ stream ${seconds}`))
  screen.write('\r')
  const begunAt = await screen.until('the answer', () => lastLine(screen) > 0)
  const begunLine = lastLine(screen)
  const streaming = await typeKeys(screen, keys)
  const [line, tookMs] = [lastLine(screen) - begunLine, performance.now() - begunAt]
  if (lacks('working')(screen.lines())) throw new Error('the stream was over before the keys were')
  const { tokens, ms: streamedMs } = await api.streamed()
  const reached = tokens / (streamedMs / 1000)
  const [p95, p95Idle] = [percentile(streaming, 0.95), percentile(idle, 0.95)]
  const shown = (values: readonly number[]) => [0.5, 0.95, 1].map((part) => ms(percentile(values, part))).join(' / ')
  console.log(
    `\ntui: ${keys} keys, p50 / p95 / longest ${shown(streaming)} while ${reached.toFixed(0)} tokens/s streamed ` +
      `(${line} lines of it were drawn in ${ms(tookMs)}), ${shown(idle)} with no stream`,
  )
  printTable(`tui: a key on the screen while Claude Code streams ${rate} tokens/s`, [
    { what: 'p95, beside what is allowed', ours: ms(p95), peer: ms(wantedMs), ratio: wantedMs / p95, wanted: 1 },
    { what: 'p95, beside no stream', ours: ms(p95), peer: ms(p95Idle), ratio: p95Idle / p95, wanted: null },
    {
      what: 'tokens/s sent, beside those meant',
      ours: reached.toFixed(0),
      peer: String(rate),
      ratio: reached / rate,
      wanted: 0.95,
    },
  ])
}

/** Letter by letter; a person's pauses, none of them in step with the frames. */
async function typeKeys(screen: Screen, count: number): Promise<number[]> {
  const times: number[] = []
  let draft = ''
  for (let at = 0; at < count; at += 1) {
    if (draft.length >= 40) {
      await clear(screen)
      draft = ''
    }
    draft += String.fromCharCode(97 + (at % 26))
    const expected = `❯ ${draft}`
    const startedAt = performance.now()
    screen.write(draft.slice(-1))
    times.push(
      (await screen.until('the letter', (lines) => lines.slice(-12).some((line) => line.includes(expected)))) - startedAt,
    )
    await sleep(20 + ((at * 7) % 30))
  }
  await clear(screen)
  return times
}

async function clear(screen: Screen): Promise<void> {
  screen.write('\u0015')
  await screen.until('an empty composer', (lines) => lines.some((line) => /❯ (ask Claude;|working:)/.test(line)))
}

function lastLine(screen: Screen): number {
  return Math.max(
    0,
    ...[
      ...screen
        .lines()
        .join('\n')
        .matchAll(/[Ll]ine (\d+)\b/g),
    ].map(([, number]) => Number(number)),
  )
}

interface Api {
  readonly url: string
  readonly child: ChildProcess
  /** What the answer came to, once it is over. */
  streamed(): Promise<{ readonly tokens: number; readonly ms: number }>
}

async function startApi(): Promise<Api> {
  const child = spawn(process.execPath, [subject('stream-api'), String(rate)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value)
  return { url: await next(), child, streamed: async () => JSON.parse(await next()) as { tokens: number; ms: number } }
}

/** `claude` on the PATH is the real one; it trusts the folder and speaks to the stand-in alone. */
function prepareClaude(sandbox: Sandbox, url: string): Record<string, string> {
  const bin = sandbox.folder('bin')
  symlinkSync(claudeCommand('2.1.325')[0] ?? '', join(bin, 'claude'))
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  writeFileSync(
    join(sandbox.home, '.claude.json'),
    JSON.stringify({ hasCompletedOnboarding: true, projects: { [sandbox.work]: trusted } }),
  )
  return {
    ...sandbox.env,
    PATH: `${bin}${delimiter}${sandbox.env.PATH}`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  }
}
