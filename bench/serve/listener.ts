// One who listens to the server's events, and notes their ids.
import { request } from 'node:http'
import type { ServerProcess } from './server-process.ts'

export interface Listener {
  readonly ids: number[]
  readonly problem: () => string | null
  close(): void
}

export function listen(server: ServerProcess): Listener {
  const ids: number[] = []
  let problem: string | null = null
  let isOver = false
  const sent = request(`${server.url}/events`, { headers: server.headers, agent: false }, (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const id = /^id: (\d+)$/m.exec(block)?.[1]
        if (id !== undefined && block.includes('event: ')) ids.push(Number(id))
      }
    })
    answer.on('close', () => {
      if (!isOver) problem = 'a listener was cut off'
    })
    answer.on('error', () => undefined)
  })
  sent.on('error', (error) => {
    if (!isOver) problem = String(error)
  })
  sent.end()
  return {
    ids,
    problem: () => problem,
    close() {
      isOver = true
      sent.destroy()
    },
  }
}
