// `offshoot token`: tokens for others, who may do less than the owner.

import { cleanLine } from '../../lib/text/clean.ts'
import { formatTable } from '../../lib/text/table.ts'
import { exactTime, timeAgo } from '../../lib/text/time.ts'
import { realFolder } from '../../lib/within.ts'
import { AppError } from '../../model/error.ts'
import { renderTime } from '../../model/render.ts'
import type { Scope } from '../../model/scope.ts'
import { createToken, isExpired, readTokens, revokeToken, type StoredToken } from '../../server/tokens/token-file.ts'
import type { Context } from '../context.ts'
import { createRow } from '../labelled-rows.ts'
import { projectAt } from '../roots.ts'

interface JsonOption {
  readonly json?: true | undefined
}

export interface CreateOptions extends JsonOption {
  readonly scope: Scope
  readonly project?: readonly string[] | undefined
  readonly expires: string
  readonly name?: string | undefined
}

export async function createTokenCommand(context: Context, options: CreateOptions): Promise<void> {
  const { out } = context
  const now = context.now()
  const expiresAt = parseExpiry(options.expires, now)
  const projects = (options.project ?? []).map((path) => projectAt(context, path)).map((path) => realFolder(path) ?? path)
  const { scope, name } = options
  const { token, secret } = await createToken(context.paths.root, { scope, projects, expiresAt, name }, now)
  if (options.json === true) return void (await out.json({ token: renderToken(token, now), secret }))
  const row = createRow(out)
  await out.line(`Created the token ${out.colors.bold(token.name)}.`)
  await row('scope', meanings[scope])
  for (const path of projects) await row('project', cleanLine(path))
  if (projects.length === 0) await row('projects', 'all that the server opens')
  await row('expires', expiresAt === null ? 'never' : exactTime(expiresAt))
  await row('secret', out.colors.bold(secret))
  out.note('The secret is not shown again. Send it as `Authorization: Bearer <secret>`.')
}

const meanings: Readonly<Record<Scope, string>> = {
  read: 'read: list, read, search, events',
  fork: 'fork: read, and fork sessions, and dry runs',
  run: 'run: read, fork, and let agents work: start, send, answer, stop',
}

export async function listTokens(context: Context, { json }: JsonOption): Promise<void> {
  const { out } = context
  const now = context.now()
  const tokens = readTokens(context.paths.root)
  if (json === true) return void (await out.json({ tokens: tokens.map((token) => renderToken(token, now)) }))
  if (tokens.length === 0) {
    out.note('No tokens yet: only your own opens the server (`offshoot serve` prints it).')
    out.note('To create one that may only read: offshoot token create --scope read --name dashboard')
    return
  }
  const { bold, cyan, dim, yellow } = out.colors
  const lines = formatTable(
    tokens,
    [
      { title: 'TOKEN', cell: ({ name }) => name, paint: cyan },
      { title: 'ID', cell: ({ id }) => id, paint: dim },
      { title: 'SCOPE', cell: ({ scope }) => scope },
      { title: 'CREATED', cell: ({ createdAt }) => timeAgo(createdAt, now), paint: dim },
      {
        title: 'EXPIRES',
        cell: (token) => describeExpiry(token, now),
        paint: (text, token) => (isExpired(token, now) ? yellow(text) : text),
      },
      { title: 'PROJECTS', cell: ({ projects }) => cleanLine(projects.join(', ')) || 'all', flexible: true },
    ],
    { columns: out.columns, paintTitle: bold },
  )
  for (const line of lines) await out.line(line)
}

export async function revokeTokenCommand(context: Context, named: string, { json }: JsonOption): Promise<void> {
  const token = await revokeToken(context.paths.root, named)
  if (json === true) return void (await context.out.json({ token: { ...renderToken(token, context.now()), state: 'revoked' } }))
  await context.out.line(`Revoked the token ${context.out.colors.bold(token.name)}.`)
}

function describeExpiry(token: StoredToken, now: number): string {
  if (token.expiresAt === null) return 'never'
  return isExpired(token, now) ? 'expired' : exactTime(token.expiresAt)
}

function renderToken(token: StoredToken, now: number) {
  const { id, name, scope, projects, createdAt, expiresAt } = token
  const state = isExpired(token, now) ? 'expired' : 'active'
  return { id, name, scope, projects, created_at: renderTime(createdAt), expires_at: renderTime(expiresAt), state }
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

/** `null`: never. A date without a time is its beginning, in UTC. */
function parseExpiry(text: string, now: number): number | null {
  if (text === 'never') return null
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? []
  if (count !== undefined) return now + Number(count) * (units[unit] ?? 0)
  const at = isDate(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) {
    throw new AppError('usage', `--expires: "${text}" is not a time.`, {
      hint: 'Give how long it is valid (12h, 30d, 4w), a date (2027-01-31), or never.',
    })
  }
  if (at <= now) throw new AppError('usage', `--expires: ${text} is in the past.`, { hint: 'Give a time to come.' })
  return at
}

/** A day that is in the calendar (`Date` reads 31 February as 3 March), with or without a time. */
function isDate(text: string): boolean {
  const [, day, time = 'T00:00'] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  const start = Date.parse(`${day}T00:00Z`)
  return (
    !Number.isNaN(start) && new Date(start).toISOString().startsWith(String(day)) && !Number.isNaN(Date.parse(`${day}${time}`))
  )
}
