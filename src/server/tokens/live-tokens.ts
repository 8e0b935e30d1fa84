// The tokens as a running server knows them: each with a signal that aborts when it is revoked, by whichever process, or expires.
import { timingSafeEqual } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { statSync } from 'node:fs'
import { isMissing } from '../../lib/file-errors.ts'
import { hashSecret, isExpired, readTokens, type StoredToken, tokenFileOf } from './token-file.ts'

export interface LiveToken extends StoredToken {
  /** Aborted: it is not accepted any more, and what it opened has to end. */
  readonly ended: AbortSignal
}

export interface LiveTokens {
  /** One that has expired is returned with `ended` aborted; `null`: there is none with this secret. */
  find(secret: string): LiveToken | null
  close(): void
}

export interface LiveTokensOptions {
  readonly home: string
  readonly now: () => number
  /** The file cannot be read; meanwhile no token is accepted. */
  readonly onProblem: (error: unknown) => void
  /** How soon an open stream learns that its token has ended; requests always see the file as it is. */
  readonly everyMs?: number
}

interface Held {
  readonly token: LiveToken
  readonly controller: AbortController
}

export function watchTokens({ home, now, onProblem, everyMs = 500 }: LiveTokensOptions): LiveTokens {
  let held: readonly Held[] = []
  let mark: string | null = null
  let timer: NodeJS.Timeout | undefined

  function refresh(): void {
    const current = markOf(tokenFileOf(home))
    if (current !== mark) {
      mark = current
      reload()
    }
    for (const { token, controller } of held) if (isExpired(token, now())) controller.abort()
  }

  function reload(): void {
    const before = new Map(held.map((one) => [describe(one.token), one]))
    try {
      held = readTokens(home).map((token) => before.get(describe(token)) ?? hold(token))
    } catch (error) {
      held = []
      onProblem(error)
    }
    for (const one of before.values()) if (!held.includes(one)) one.controller.abort()
  }

  return {
    find(secret) {
      refresh()
      const given = hashSecret(secret)
      let found: LiveToken | null = null
      // All are compared, each in constant time: how long it takes tells nothing about the secrets.
      for (const { token } of held) if (timingSafeEqual(given, Buffer.from(token.hash, 'hex'))) found = token
      if (found !== null && timer === undefined) {
        timer = setInterval(refresh, everyMs)
        timer.unref()
      }
      return found
    },
    close() {
      clearInterval(timer)
    },
  }
}

function hold(token: StoredToken): Held {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal) // one for each answer under way
  return { token: { ...token, ended: controller.signal }, controller }
}

function describe({ id, name, scope, projects, expiresAt, hash }: StoredToken): string {
  return JSON.stringify([id, name, scope, projects, expiresAt, hash])
}

/** Changes whenever the file is replaced or written. */
function markOf(file: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch (error) {
    return isMissing(error) ? 'none' : 'unreadable'
  }
}
