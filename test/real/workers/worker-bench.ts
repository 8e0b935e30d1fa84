// Both real agents with their stand-in APIs, an app of its own beside them, and a tmux server on a socket of the sandbox.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, createApp } from '../../../src/app.ts'
import { type AppBench, createAppBench } from '../fork/app-bench.ts'
import type { ClaudeVersion, CodexVersion } from '../lib/agents.ts'
import { endTree } from '../lib/processes.ts'

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
  sandbox.onDispose(async () => {
    for (const app of apps) {
      await app.shutDown()
      app.close()
    }
    const pid = serverPid()
    if (pid > 0) endTree(pid)
  })
  return { ...bench, app: openApp(), socket, openApp, tmux, serverPid, screen: (id) => tmux('capture-pane', '-p', '-t', id) }
}

/** Neither agent asks whether a folder may be used, whatever workspaces are made. */
function trustEverything({ claude, codex, vars }: AppBench): void {
  const { home, work, root } = claude.sandbox
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  const key = (vars.ANTHROPIC_API_KEY ?? '').slice(-20)
  const config = { hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: { approved: [key], rejected: [] } }
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({ ...config, projects: { [work]: trusted, [root]: trusted, [home]: trusted } }),
  )
  const file = join(codex.folder, 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8'))
}
