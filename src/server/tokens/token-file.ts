// `$OFFSHOOT_HOME/tokens.json`: the tokens the owner has created, each with the hash of its secret. A file of its own and not a table,
// because the database is a cache that may be deleted. Reading is synchronous: a server looks at it again whenever it changes, and
// must not answer a request in between.
import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { errorMessage } from '../../lib/error-message.ts'
import { fileErrorCode, isMissing } from '../../lib/file-errors.ts'
import { withLockFile } from '../../lib/lock-file.ts'
import { findNearest } from '../../lib/nearest.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import { AppError } from '../../model/error.ts'
import { type Scope, scopes } from '../../model/scope.ts'
import { makeShortId } from '../../snapshots/short-id.ts'

export interface StoredToken {
  readonly id: string
  readonly name: string
  readonly scope: Scope
  /** Real paths; empty: every project the server opens. */
  readonly projects: readonly string[]
  readonly createdAt: number
  /** `null`: never. */
  readonly expiresAt: number | null
  /** SHA-256 of the secret, in hex. The secret has 256 random bits, so a slow hash would add nothing. */
  readonly hash: string
}

export type TokenRequest = Pick<StoredToken, 'scope' | 'projects' | 'expiresAt'> & { readonly name?: string | undefined }

/** The shape that `redact/token-rules.ts` recognises. */
const prefix = 'offshoot_'
const maxFileBytes = 4 << 20
/** Ten seconds; a change takes milliseconds. */
const lockTries = 400

export function tokenFileOf(home: string): string {
  return join(home, 'tokens.json')
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export function isExpired({ expiresAt }: Pick<StoredToken, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Throws `unreadable` for a file that is damaged or that other users could have written. */
export function readTokens(home: string): readonly StoredToken[] {
  const file = tokenFileOf(home)
  const text = readOwn(file)
  if (text === null) return []
  try {
    const { tokens } = JSON.parse(text) as { readonly tokens: readonly unknown[] }
    return tokens.map(parseToken)
  } catch (cause) {
    throw new AppError('unreadable', `${file} is damaged.`, {
      cause,
      hint: `Remove ${file} and create the tokens again; until then none of them is accepted.`,
    })
  }
}

/** The secret is returned once and stored nowhere. */
export async function createToken(
  home: string,
  { name, scope, projects, expiresAt }: TokenRequest,
  now: number,
): Promise<{ readonly token: StoredToken; readonly secret: string }> {
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`
  const hash = hashSecret(secret).toString('hex')
  const token = await editTokens(home, (tokens) => {
    const id = makeShortId()
    const made = { id, name: name ?? `${scope}-${id}`, scope, projects, createdAt: now, expiresAt, hash }
    const taken = tokens.find((one) => one.name === made.name || one.id === made.name)
    if (taken !== undefined) {
      throw new AppError('name_taken', `There is already a token "${made.name}".`, {
        hint: `Choose another name, or revoke it first: \`offshoot token revoke ${made.name}\`.`,
      })
    }
    return { tokens: [...tokens, made], result: made }
  })
  return { token, secret }
}

/** By name, else by id. */
export async function revokeToken(home: string, named: string): Promise<StoredToken> {
  return editTokens(home, (tokens) => {
    const token = tokens.find(({ name }) => name === named) ?? tokens.find(({ id }) => id === named)
    if (token === undefined) throw unknownToken(named, tokens)
    return { tokens: tokens.filter((one) => one !== token), result: token }
  })
}

function unknownToken(named: string, tokens: readonly StoredToken[]): AppError {
  const names = tokens.map(({ name }) => name)
  const near = findNearest(named, names)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are: ${names.slice(0, 10).join(', ')}.`
  const message = `There is no token "${named}". ${names.length === 0 ? 'There are none.' : meant}`
  return new AppError('token_not_found', message, { details: { candidates: near } })
}

export async function removeExpired(home: string, now: number): Promise<void> {
  await editTokens(home, (tokens) => ({ tokens: tokens.filter((token) => !isExpired(token, now)), result: null }))
}

async function editTokens<Result>(
  home: string,
  change: (tokens: readonly StoredToken[]) => { readonly tokens: readonly StoredToken[]; readonly result: Result },
): Promise<Result> {
  const file = tokenFileOf(home)
  const onBusy = (pid: string) => new AppError('busy', `Another offshoot (process ${pid}) is changing the tokens.`)
  const edit = async () => {
    const { tokens, result } = change(readTokens(home))
    const text = `${JSON.stringify({ tokens: tokens.map(toJson) }, null, 2)}\n`
    await writeFileAtomic(file, text, { mode: 0o600 })
    return result
  }
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    return await withLockFile(join(home, 'tokens.lock'), edit, { maxTries: lockTries, onBusy })
  } catch (cause) {
    if (cause instanceof AppError || fileErrorCode(cause) === undefined) throw cause
    throw new AppError('failed', `Cannot write ${file}: ${errorMessage(cause)}`, {
      cause,
      hint: `The tokens are as they were. Check that ${home} is a writable folder with free space, then try again.`,
    })
  }
}

/** `null`: there is none. Whoever could write this file could have added a token, so it must be the user's alone. */
function readOwn(file: string): string | null {
  try {
    const stat = lstatSync(file)
    const isOwn = stat.isFile() && (process.getuid === undefined || stat.uid === process.getuid()) && (stat.mode & 0o022) === 0
    if (isOwn) return readRegularText(file, { mostBytes: maxFileBytes })
  } catch (cause) {
    if (isMissing(cause)) return null
    throw new AppError('unreadable', `Cannot read ${file}.`, {
      cause,
      hint: `Make ${file} a readable file of yours, or remove it.`,
    })
  }
  throw new AppError('unreadable', `${file} is not a file that only you can write.`, {
    hint: `Remove ${file} and create the tokens again; until then none of them is accepted.`,
  })
}

function toJson({ id, name, scope, projects, createdAt, expiresAt, hash }: StoredToken) {
  return { id, name, scope, projects, created_at: createdAt, expires_at: expiresAt, hash }
}

function parseToken(json: unknown): StoredToken {
  const { id, name, scope, projects, created_at, expires_at, hash } = json as Record<string, unknown>
  const isWhole =
    [id, name].every((text) => typeof text === 'string' && text !== '') &&
    scopes.some((known) => known === scope) &&
    Array.isArray(projects) &&
    projects.every((path) => typeof path === 'string') &&
    Number.isFinite(created_at) &&
    (expires_at === null || Number.isFinite(expires_at)) &&
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash)
  if (!isWhole) throw new Error('not a token')
  return {
    id: String(id),
    name: String(name),
    scope: scope as Scope,
    projects: projects as readonly string[],
    createdAt: Number(created_at),
    expiresAt: expires_at === null ? null : Number(expires_at),
    hash,
  }
}
