// A server of the sandbox on a real socket, and requests written by hand: what no client would send.
import { connect } from 'node:net'
import { type Listening, listen } from '../../src/server/listen.ts'
import type { Served } from './sandbox.ts'

export async function listenTo(server: Served): Promise<Listening & { readonly url: string }> {
  const listening = await listen(server.fetch as never, { host: '127.0.0.1', port: 0 })
  return { ...listening, url: `http://127.0.0.1:${listening.port}` }
}

/** Sends these bytes and gives all that comes back until the server closes. */
export function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('latin1').on('data', (piece: string) => {
      answer += piece
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
  })
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
