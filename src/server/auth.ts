// Who may ask: holders of a bearer token. The owner's is in a private file that is kept across restarts, so that clients stay
// configured; tokens/ has those that the owner creates for others.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MiddlewareHandler } from 'hono'
import type { GuardOptions } from '../guarded-app.ts'
import { createExclusive } from '../lib/exclusive-file.ts'
import { isMissing } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import type { ApiEnv, RouteAccess } from './api.ts'
import type { Limit } from './limits.ts'
import { endWith, untilEnded } from './tokens/end-with.ts'
import type { LiveToken, LiveTokens } from './tokens/live-tokens.ts'
import { hashSecret } from './tokens/token-file.ts'

const tokenShape = /^[\w-]{43}$/

export interface Token {
  readonly value: string
  readonly file: string
  /** Others could have read the one before, so this is a new one. */
  readonly replaced: boolean
}

/** The token of this home; made when there is none, and made anew when its file was open to others or holds something else. */
export async function readToken(home: string): Promise<Token> {
  const file = join(home, 'token')
  await mkdir(home, { recursive: true, mode: 0o700 })
  const known = await readPrivate(file)
  if (known !== null && known !== 'exposed') return { value: known, file, replaced: false }
  const value = randomBytes(32).toString('base64url')
  if (known === 'exposed') {
    const fresh = `${file}.new`
    await rm(fresh, { force: true })
    await createExclusive(fresh, (writer) => writer.write(Buffer.from(`${value}\n`)))
    await rename(fresh, file)
    return { value, file, replaced: true }
  }
  try {
    await createExclusive(file, (writer) => writer.write(Buffer.from(`${value}\n`)))
    return { value, file, replaced: false }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'file_exists') throw error
    const theirs = await readPrivate(file) // another server was a moment quicker
    if (theirs === null || theirs === 'exposed') throw error
    return { value: theirs, file, replaced: false }
  }
}

/** For who asks a running server: `null` where there is none, or others could have put it there. */
export async function readKnownToken(home: string): Promise<string | null> {
  const known = await readPrivate(join(home, 'token'))
  return known === 'exposed' ? null : known
}

async function readPrivate(file: string): Promise<string | null> {
  try {
    // No symlink: what it points to would be shown to whoever starts a server here.
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stat = await handle.stat()
      if (stat.isDirectory()) throw new Error('it is a folder, which no new token can replace')
      if (!stat.isFile()) return 'exposed'
      const { mode } = stat
      const text = (await handle.readFile('utf8')).trim()
      return (mode & 0o077) === 0 && tokenShape.test(text) ? text : 'exposed'
    } finally {
      await handle.close()
    }
  } catch (cause) {
    if (isMissing(cause)) return null
    throw new AppError('unreadable', `Cannot read the token in ${file}.`, {
      cause,
      hint: 'Make it readable for you, or remove it: the next start makes a new one, and clients have to be told.',
    })
  }
}

export interface TokenCheck {
  /** The owner's token. */
  readonly owner: string
  readonly tokens: LiveTokens | null
  /** Bounds how often one may guess; who has a valid token is not held up by that. */
  readonly failures: Limit
  readonly admit: (token: LiveToken | null) => RouteAccess
  readonly onRefusal: GuardOptions['onRefusal']
  readonly now: () => number
}

/** Lets only those through who have a valid token, and notes what it lets them do. Unknown, expired and revoked ones get one answer. */
export function requireToken({ owner, tokens, failures, admit, onRefusal, now }: TokenCheck): MiddlewareHandler<ApiEnv> {
  const wanted = hashSecret(owner)
  return async (context, next) => {
    const given = /^Bearer +([\w-]+) *$/i.exec(context.req.header('authorization') ?? '')?.[1]
    // Digests are of one length: comparing them takes the same time whatever was sent.
    const isOwner = given !== undefined && timingSafeEqual(hashSecret(given), wanted)
    const token = isOwner || given === undefined ? null : (tokens?.find(given) ?? null)
    if (!isOwner && (token === null || token.ended.aborted)) {
      failures.take()
      if (given === undefined) throw new AppError('unauthorized', 'This needs a token.')
      const subject = token === null ? 'a token' : `token ${token.name}`
      const reason = token === null ? 'unknown or revoked' : 'expired'
      onRefusal({ at: now(), verb: `${context.req.method} http`, subject, reason })
      throw invalidToken()
    }
    if (context.req.query('token') !== undefined || context.req.query('access_token') !== undefined) {
      throw new AppError('usage', 'The token does not belong into an address: addresses are kept in logs and histories.', {
        hint: 'Send it as `Authorization: Bearer ...` only.',
      })
    }
    context.set('access', admit(token))
    if (token === null) return next()
    await untilEnded(token.ended, next(), invalidToken)
    const drop = () => void context.env?.outgoing?.destroy()
    context.res = endWith(context.res, token.ended, { drop, graceMs: context.req.path === '/mcp' ? mcpGraceMs : 0 })
  }
}

/** A tool call that ends with its token is answered with an error: some clients wait for ever when only its stream ends. */
const mcpGraceMs = 200

export function invalidToken(): AppError {
  return new AppError('unauthorized', 'This token is not valid.')
}
