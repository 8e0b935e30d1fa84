// Both real agents with their stand-in APIs, an app of its own beside them, and a tmux server on a socket of the sandbox.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, createApp } from '../../../src/app.ts'
import { isObject } from '../../../src/lib/jsonl.ts'
import { AppError } from '../../../src/model/error.ts'
import type { AgentId } from '../../../src/model/session.ts'
import type { Worker, WorkerState } from '../../../src/model/worker.ts'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { claudeRules, fromMessages } from '../claude/received.ts'
import type { WireItem } from '../codex/answer.ts'
import { type AppBench, createAppBench } from '../fork/app-bench.ts'
import type { ClaudeVersion, CodexVersion } from '../lib/agents.ts'
import type { Rule, SeenItem } from '../lib/history.ts'
import { endTree } from '../lib/processes.ts'
import { waitUntil } from '../lib/wait.ts'

export interface WorkerBench extends AppBench {
  readonly socket: string
  /** Another offshoot on the same home, as after a restart. */
  openApp(vars?: Readonly<Record<string, string>>): App
  tmux(...args: string[]): string
  /** The pid of the tmux server; 0 when none runs. */
  serverPid(): number
  screen(paneId: string): string
}

export async function createWorkerBench(
  claudeVersion: ClaudeVersion = '2.1.325',
  codexVersion: CodexVersion = '0.166.0',
): Promise<WorkerBench> {
  const bench = await createAppBench(claudeVersion, codexVersion)
  const { sandbox } = bench.claude
  trustEverything(bench)
  const socket = join(sandbox.root, 'tmux')
  const apps: App[] = []
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env: bench.vars, encoding: 'utf8', stdio: 'pipe' })
  const serverPid = () => {
    try {
      return Number(tmux('display-message', '-p', '#{pid}'))
    } catch {
      return 0 // none runs
    }
  }
  const openApp = (vars: Readonly<Record<string, string>> = bench.vars) => {
    const { home, work } = sandbox
    const app = createApp({ home, vars, cwd: work, now: Date.now, tmux: { socket, config: '/dev/null' } })
    apps.push(app)
    return app
  }
  async function endAll(): Promise<void> {
    const [first] = apps
    // Agents that end by themselves have told their hooks all they have to.
    for (const { id, kind } of (await first?.listWorkers()) ?? []) if (kind === 'terminal') await first?.stopWorker(id)
    for (const app of apps) {
      await app.shutDown()
      app.close()
    }
    const pid = serverPid()
    if (pid > 0) endTree(pid)
    // What hooks left to do is done by processes of their own.
    await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
  }
  return {
    ...bench,
    app: openApp(),
    socket,
    openApp,
    tmux,
    serverPid,
    screen: (id) => tmux('capture-pane', '-p', '-t', id),
    async dispose() {
      try {
        await endAll()
      } finally {
        await bench.dispose()
      }
    },
  }
}

export function waitForState(app: App, name: string, ...states: readonly WorkerState[]): Promise<Worker> {
  return waitUntil(`${name} to be ${states.join(' or ')}`, async () => {
    const worker = await app.findWorker(name)
    return states.includes(worker.state) ? worker : undefined
  })
}

/** 2.1.325 decides by itself unless told to ask; then it also asks once whether it should not decide, where no prompt comes first. */
export function letClaudeAsk({ claude }: AppBench): void {
  const folder = join(claude.sandbox.home, '.claude')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ permissions: { defaultMode: 'default' } }))
}

/** Neither agent asks whether a folder may be used, whatever workspaces are made. */
function trustEverything({ claude, codex, vars }: AppBench): void {
  const { home, work, root } = claude.sandbox
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  const key = (vars.ANTHROPIC_API_KEY ?? '').slice(-20)
  const config = { hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: { approved: [key], rejected: [] } }
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({ ...config, projects: { [work]: trusted, [root]: trusted, [home]: trusted } }),
  )
  const file = join(codex.folder, 'config.toml')
  const text = readFileSync(file, 'utf8')
    .replace('approval_policy = "never"', 'approval_policy = "on-request"')
    .replace('sandbox_mode = "danger-full-access"', 'sandbox_mode = "workspace-write"')
  writeFileSync(file, text)
}

/** What the model of this session was sent with the prompt that holds `text`: roles and texts, without what the CLI adds. */
export function historyAt({ claude, codex }: AppBench, agent: AgentId, sessionId: string, text: string): string[] {
  if (agent === 'claude') {
    const request = claude.api.requests.find(
      (each) => each.sessionId === sessionId && each.kind === 'turn' && each.prompt.includes(text),
    )
    if (request === undefined) throw new Error(`no request of ${sessionId} with "${text}"`)
    const items = fromMessages(request.messages)
    return normalise(items, claudeRules)
  }
  const request = codex.api.requestsOf(sessionId).find(({ input }) => JSON.stringify(input.at(-1)).includes(text))
  if (request === undefined) throw new Error(`no request of ${sessionId} with "${text}"`)
  return request.input.flatMap((item) => {
    const line = `${String(item.role ?? item.type)}: ${textOf(item)}`
    return /^(user|assistant): (?!<|# AGENTS)/.test(line) || /call/.test(line) ? [line] : []
  })
}

function normalise(items: readonly SeenItem[], rules: readonly Rule[]): string[] {
  let now = [...items]
  for (const rule of rules.filter(({ side }) => side !== 'ours')) {
    const all = now
    now = all.flatMap((item, index) => rule.apply(item, index, all, []) ?? [])
  }
  return now.map(({ role, text }) => `${role}: ${text}`)
}

function textOf(item: WireItem): string {
  const parts = Array.isArray(item.content) ? item.content : []
  return parts.map((part: unknown) => (isObject(part) ? String(part.text ?? '') : '')).join('')
}

/** The code of the refusal. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw error ?? new Error('it was not refused')
  return error.code
}
