// The commands of the sweep.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultHome } from './fault-home.ts'

export interface Meanwhile {
  readonly home: FaultHome
  readonly ended: Promise<number | null>
  readonly stdout: () => string
  readonly kill: (signal: NodeJS.Signals) => void
}

export interface FaultCommand {
  readonly name: string
  readonly args: (home: FaultHome) => readonly string[]
  /** Run before it, without faults. */
  readonly prepare?: readonly (readonly string[])[]
  /** What shows that all is well afterwards; by default the command itself. */
  readonly next?: (home: FaultHome) => readonly string[]
  /** It changes files of the repository. */
  readonly changesFiles?: boolean
  /** Prints the same each time. */
  readonly isRepeatable?: boolean
  /** Clears up what was cut off before it. */
  readonly clearsUp?: boolean
  /** Talks to the command while it runs; answers with what is wrong. */
  readonly meanwhile?: (context: Meanwhile) => Promise<string[]>
}

const captured = 'claude:4be17d5c'
const always =
  (...args: string[]) =>
  () =>
    args

export const commands: readonly FaultCommand[] = [
  { name: 'sessions', isRepeatable: true, args: always('sessions', '--json') },
  { name: 'turns', isRepeatable: true, args: always('turns', '--json', captured) },
  { name: 'show', isRepeatable: true, args: always('show', '--json', captured) },
  { name: 'tree', isRepeatable: true, args: always('tree', '--json') },
  { name: 'diff', isRepeatable: true, args: always('diff', `${captured}@1`, `${captured}@2`) },
  { name: 'search', isRepeatable: true, args: always('search', '--json', 'sqlite') },
  { name: 'index', args: always('index') },
  { name: 'index --rebuild', args: always('index', '--rebuild') },
  { name: 'fork', clearsUp: true, args: always('fork', `${captured}@1`, '--terminal', 'none', '--yes') },
  { name: 'fork --dry-run', args: always('fork', `${captured}@1`, '--dry-run') },
  { name: 'start', clearsUp: true, args: always('start', 'claude', '--terminal', 'none') },
  { name: 'undo', clearsUp: true, args: ({ forkId }) => ['undo', forkId] },
  {
    name: 'restore',
    args: always('restore', `${captured}@1`, '--all', '--yes'),
    clearsUp: true,
    changesFiles: true,
  },
  { name: 'gc', clearsUp: true, args: always('gc') },
  { name: 'hooks install', args: always('hooks', 'install', '--agent', 'claude') },
  {
    name: 'hooks uninstall',
    args: always('hooks', 'uninstall', '--agent', 'claude'),
    prepare: [['hooks', 'install', '--agent', 'claude']],
  },
  { name: 'hooks status', args: always('hooks', 'status') },
  { name: 'export', args: ({ live }) => ['export', captured, '-o', `${live}/out.md`, '--force'] },
  { name: 'config set', args: always('config', 'set', 'index.interval', '2h') },
  { name: 'doctor', args: always('doctor'), next: always('doctor', '--fix') },
  { name: 'serve', args: always('serve', '--port', '0', '--json'), next: always('sessions'), meanwhile: askServer },
]

async function askServer({ ended, stdout, kill }: Meanwhile): Promise<string[]> {
  const problems: string[] = []
  const unanswered: string[] = []
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver && !/^\{"url".*\n/.test(stdout())) await sleep(50)
  if (isOver) return problems
  const { url, token } = JSON.parse(stdout().split('\n')[0] ?? '') as { readonly url: string; readonly token: string }
  for (const path of ['/session', '/session/4be17d5c-2f0a-4c63-9a1e-70d2c9b8e5f1/message', '/search?q=sqlite', '/tree']) {
    try {
      const response = await fetch(new URL(path, url), {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(60_000),
      })
      const text = await response.text()
      if (response.status >= 500 && /"code":"internal"/.test(text)) problems.push(`${path} answers ${response.status} ${text}`)
    } catch (error) {
      unanswered.push(`${path}: ${String(error)}`)
    }
  }
  kill('SIGTERM')
  // One that was killed answers nothing.
  return (await ended) === null ? problems : [...problems, ...unanswered]
}
