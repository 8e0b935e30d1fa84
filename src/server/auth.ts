// Who may ask: the bearer token. It lies in a private file that is kept across restarts, so that clients stay configured.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MiddlewareHandler } from 'hono'
import { createExclusive } from '../lib/exclusive-file.ts'
import { isMissing } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import type { Limit } from './limits.ts'

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

/** Lets only those through who know the token. `failures` bounds how often one may guess; who knows it is not held up by that. */
export function requireToken(token: string, failures: Limit): MiddlewareHandler {
  const wanted = digest(token)
  return async (context, next) => {
    const given = /^Bearer +([\w-]+) *$/i.exec(context.req.header('authorization') ?? '')?.[1]
    // Digests are of one length: comparing them takes the same time whatever was sent.
    const known = given !== undefined && timingSafeEqual(digest(given), wanted)
    if (!known) {
      failures.take()
      throw new AppError('unauthorized', given === undefined ? 'This needs the token.' : 'This is not the token.')
    }
    if (context.req.query('token') !== undefined || context.req.query('access_token') !== undefined) {
      throw new AppError('usage', 'The token does not belong into an address: addresses are kept in logs and histories.', {
        hint: 'Send it as `Authorization: Bearer ...` only.',
      })
    }
    await next()
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
