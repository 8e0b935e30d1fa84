// The socket: limits on how slowly and how largely one may speak, and an end that lets running answers finish.

import { createServer, type Server as HttpServer, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import { describeProblem, type Problem, problemResponse } from './problem.ts'

export interface Listening {
  readonly port: number
  /** Takes no new connection; settles when every answer is out, or after `graceMs` at the latest, when the rest is cut off. */
  close(graceMs: number): Promise<void>
}

type Fetch = (request: Request, env?: never) => Response | Promise<Response>

export async function listen(fetch: Fetch, { host, port }: { readonly host: string; readonly port: number }): Promise<Listening> {
  const answer = getRequestListener(fetch as never, {
    // What never became a request: a target or a Host header nobody can read.
    errorHandler: () => problemResponse(describeProblem(new AppError('usage', 'This request cannot be understood.'))),
  })
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      // Longer than a client keeps one: whoever closes first cuts off a request that is just on its way.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      // Node refuses a request without a Host header with an empty body; the listener refuses it with a problem document.
      requireHostHeader: false,
    },
    (request, response) => void answer(request, response),
  )
  server.maxConnections = 2048
  explainRefusals(server)
  await bind(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // A connection that is kept alive becomes idle only when its answer is out.
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      server.closeIdleConnections()
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(cut)
      clearInterval(idle)
    },
  }
}

/** What Node cannot read as a request never gets to a route: it is answered here, in the same form as every other fault. */
function explainRefusals(server: HttpServer): void {
  const answering = new WeakSet<Duplex>()
  server.on('request', ({ socket }, response) => {
    answering.add(socket)
    response.once('close', () => answering.delete(socket))
  })
  server.on('checkExpectation', (_request, response) => {
    const { status, headers, body } = writeProblem({
      ...describeProblem(new AppError('usage', 'Expect is not supported.')),
      status: 417,
    })
    response.writeHead(status, { ...headers, connection: 'close' }).end(body)
  })
  server.on('clientError', (error, socket) => {
    // In the middle of an answer there is nothing to say but that it ends.
    if (!socket.writable || answering.has(socket)) return void socket.destroy()
    const { status, headers, body } = writeProblem(refusalOf(fileErrorCode(error)))
    const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
  })
}

/** The title is that of the status, which may be another than the usual one of the code. */
function writeProblem(problem: Problem) {
  const { status } = problem
  const body = JSON.stringify({ ...problem, title: STATUS_CODES[status] })
  return { status, body, headers: { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) } }
}

function refusalOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { ...describeProblem(new AppError('too_large', 'The headers are too large.')), status: 431 }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { ...describeProblem(new AppError('timed_out', 'The request did not arrive in time.', { hint: '' })), status: 408 }
    default:
      return describeProblem(new AppError('usage', 'This request cannot be understood.'))
  }
}

function bind(server: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(explain(cause, host, port)))
    server.listen({ host, port, exclusive: true }, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

function explain(cause: unknown, host: string, port: number): AppError {
  switch (fileErrorCode(cause)) {
    case 'EADDRINUSE':
      return new AppError('port_taken', `Port ${port} of ${host} is taken by another program.`, { cause })
    case 'EACCES':
      return new AppError('refused', `You may not listen on port ${port}.`, { cause, hint: 'Choose a port above 1023.' })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AppError('usage', `${host} is no address of this machine.`, { cause })
    default:
      return new AppError('failed', `Cannot listen on ${host}:${port}.`, { cause })
  }
}
