// A shell with job control in a real terminal, in which `offshoot` is the built command.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTerminal, type Terminal } from '../real/lib/tmux.ts'
import { makeFakeAgent } from './fake-agent.ts'
import { bin, type Fixture } from './run-cli.ts'

export interface Shells {
  open(size: { columns: number; rows: number }, path?: string): Promise<Terminal>
  close(): Promise<void>
}

/** With a stand-in for the agent in front of the PATH. */
export function createShells(home: Pick<Fixture, 'home' | 'vars' | 'repository'>): Shells {
  const agents = makeFakeAgent(home.home)
  const ends: (() => void | Promise<void>)[] = []
  return {
    async open(size, path = `${agents}:${home.vars.PATH}`) {
      const rc = join(home.home, `rc-${ends.length}`)
      writeFileSync(rc, `PS1='READY '\nexport PATH='${path}'\noffshoot() { '${process.execPath}' '${bin}' "$@"; }\n`)
      const env = { ...home.vars, LANG: 'C.UTF-8', NO_COLOR: '1' }
      const sandbox = { root: home.home, onDispose: (end: () => void | Promise<void>) => void ends.push(end) }
      const terminal = openTerminal(sandbox, { argv: ['bash', '--rcfile', rc, '-i'], cwd: home.repository, env, ...size })
      await terminal.waitFor('READY')
      return terminal
    },
    async close() {
      for (const end of ends) await end()
    },
  }
}

export async function expectStatus(terminal: Terminal, status: number): Promise<void> {
  await terminal.waitFor(/READY $|READY$/)
  await terminal.submit('echo "status=$?"')
  await terminal.waitFor(`status=${status}\n`)
}

export async function countForks(home: Fixture): Promise<number> {
  const { sessions } = await home.json<{ sessions: { title: string }[] }>(['sessions', '--json'])
  return sessions.filter(({ title }) => title.startsWith('Fork of')).length
}
