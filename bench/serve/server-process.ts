// `offshoot serve` as a process, and how to ask it.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { offshoot } from '../measure.ts'

export interface ServerProcess {
  readonly url: string
  readonly headers: { readonly authorization: string }
  json<T = unknown>(path: string): Promise<T>
  /** Resident bytes of the server itself. */
  memory(): number
  until(holds: () => Promise<boolean>): Promise<void>
  stop(): Promise<void>
}

export async function startServer(home: string, state: string, project = join(home, 'work')): Promise<ServerProcess> {
  const child = spawn(process.execPath, [offshoot, 'serve', '--port', '0', '--json', '--project', project], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, OFFSHOOT_HOME: state },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const { url, token } = await new Promise<{ url: string; token: string }>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      if (text.includes('\n')) resolve(JSON.parse(text) as { url: string; token: string })
    })
    child.on('close', (status) => reject(new Error(`the server ended with ${status}`)))
  })
  const headers = { authorization: `Bearer ${token}` }
  return {
    url,
    headers,
    async json<T>(path: string) {
      const answer = await fetch(`${url}${path}`, { headers })
      if (!answer.ok) throw new Error(`${answer.status} of ${path}: ${await answer.text()}`)
      return (await answer.json()) as T
    },
    memory() {
      const { serving_pid: pid } = JSON.parse(readFileSync(join(state, 'server.json'), 'utf8')) as { serving_pid: number }
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      return Number(kilobytes) * 1024
    },
    async until(holds) {
      for (let tries = 0; !(await holds()); tries += 1) {
        if (tries > 3000) throw new Error('it does not come about')
        await sleep(100)
      }
    },
    async stop() {
      child.kill('SIGTERM')
      const status = await ended
      if (status !== 0) throw new Error(`the server ended with ${status}`)
    },
  }
}
