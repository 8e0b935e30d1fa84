// Keeps web pages out. A page of another site can make a browser ask us, and with a name of its own that resolves to this
// machine (DNS rebinding) even read the answer: so the names we go by are checked, and pages of other origins refused.
import { isIP } from 'node:net'
import type { MiddlewareHandler } from 'hono'
import { AppError } from '../model/error.ts'

const loopback = ['127.0.0.1', '[::1]', 'localhost']

/** `::1`, `127.x.y.z`, `localhost`: only this machine gets there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** `host`: what the server listens on. */
export function requireOwnHost(host: string): MiddlewareHandler {
  const names = new Set([...loopback, isIP(host) === 6 ? `[${host}]` : host.toLowerCase()])
  // Rebinding takes a name. Where the server is open to the network on purpose, plain addresses are no danger.
  const isOwn = (name: string) => names.has(name) || (!isLoopback(host) && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0)
  return async (context, next) => {
    // Made of the Host header where the target names no host, as it came: not each is an address (`xn--a`, `256.1.1.1`, port 99999).
    const target = URL.canParse(context.req.url) ? new URL(context.req.url).host : ''
    const named = context.req.header('host') ?? target
    // The request's own target may name a host too (`GET http://elsewhere/ HTTP/1.1`): both must be ours.
    for (const name of [nameIn(named), nameIn(target)]) {
      if (name === null || !isOwn(name)) {
        throw new AppError('refused', 'This server does not go by that name.', { hint: `Use http://${host} with its port.` })
      }
    }
    const origin = context.req.header('origin')
    if (origin !== undefined && origin !== `http://${named}`) {
      throw new AppError('refused', 'Pages of other origins may not use this server.', { hint: '' })
    }
    const site = context.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new AppError('refused', 'Pages of other sites may not use this server.', { hint: '' })
    }
    await next()
  }
}

/** The name in a Host header, which must be one name with or without a port and nothing else. */
function nameIn(host: string): string | null {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1] ?? null
}
