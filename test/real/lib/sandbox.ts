// An isolated home in which the real CLIs run: nothing of the caller's environment but PATH gets in, so that no credential,
// setting or session of the person running the tests is seen or touched. Everything is gone after `dispose`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEnv } from '../../../src/agents/agent-env.ts'
import { fileErrorCode } from '../../../src/lib/file-errors.ts'
import { removeFolder } from '../../setup/remove-folder.ts'
import { createProcesses, type Processes } from './processes.ts'
import { waitUntil } from './wait.ts'

export interface Sandbox {
  readonly root: string
  readonly home: string
  /** A small git repository with one commit: `README.md` and `notes.txt`. */
  readonly work: string
  /** The whole environment of what runs inside. */
  readonly env: Readonly<Record<string, string>>
  /** The same place as our own readers are told of it. */
  readonly agentEnv: AgentEnv
  readonly processes: Processes
  /** Makes a folder below the root and answers its path. */
  folder(name: string): string
  git(cwd: string, ...args: string[]): string
  onDispose(end: () => void | Promise<void>): void
  dispose(): Promise<void>
}

export interface SandboxOptions {
  /** Sets CLAUDE_CONFIG_DIR to a folder of its own instead of leaving it at `~/.claude`. */
  readonly claudeConfigDir?: boolean
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-real-')))
  const processes = createProcesses()
  const ends: (() => void | Promise<void>)[] = []
  const home = join(root, 'home')
  const work = join(root, 'work')
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    SHELL: '/bin/bash',
    USER: 'tester',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TZ: 'UTC',
    TMPDIR: join(root, 'tmp'),
    CODEX_HOME: join(home, '.codex'),
    OFFSHOOT_HOME: join(home, '.offshoot'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Tester',
    GIT_AUTHOR_EMAIL: 'tester@example.invalid',
    GIT_COMMITTER_NAME: 'Tester',
    GIT_COMMITTER_EMAIL: 'tester@example.invalid',
    ...(options.claudeConfigDir ? { CLAUDE_CONFIG_DIR: join(root, 'claude-config') } : {}),
  }
  for (const folder of [home, work, join(root, 'tmp'), join(home, '.codex')]) mkdirSync(folder, { recursive: true })

  const git = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, env, encoding: 'utf8' })
  writeFileSync(join(work, 'README.md'), '# A small project\n')
  writeFileSync(join(work, 'notes.txt'), 'first note\n')
  git(work, 'init', '--quiet', '--initial-branch=main')
  git(work, 'add', '.')
  git(work, 'commit', '--quiet', '--message', 'Start')

  return {
    root,
    home,
    work,
    env,
    agentEnv: { home, vars: env },
    processes,
    folder(name) {
      const path = join(root, name)
      mkdirSync(path, { recursive: true })
      return path
    },
    git,
    onDispose: (end) => ends.push(end),
    async dispose() {
      const failures: unknown[] = []
      for (const end of ends.reverse()) {
        try {
          await end()
        } catch (error) {
          failures.push(error)
        }
      }
      await processes.endAll()
      // What a hook has left running may still write there for a moment.
      await waitUntil('the sandbox to be gone', () => isRemoved(root))
      if (failures.length > 0) throw new AggregateError(failures, 'the sandbox did not end cleanly')
    },
  }
}

function isRemoved(folder: string): boolean {
  try {
    removeFolder(folder)
    return true
  } catch (error) {
    if (fileErrorCode(error) === 'ENOTEMPTY') return false
    throw error
  }
}
