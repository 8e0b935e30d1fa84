// From words and flags to a query: where it looks, which file is meant, and what looks like a filter but is none.
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { editDistance } from '../../lib/nearest.ts'
import { AppError } from '../../model/error.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { queryOf, type ScopeOptions } from '../scope.ts'

export interface AskOptions extends ScopeOptions {
  readonly file?: string | undefined
  readonly engine?: 'builtin' | 'qmd' | undefined
  readonly limit?: number | undefined
  readonly minScore?: number | undefined
  readonly explain?: true | undefined
}

export const filterKeys = ['agent', 'repo', 'file', 'branch', 'model', 'before', 'after'] as const
/** What other programs call them. */
const otherNames: Readonly<Record<string, (typeof filterKeys)[number]>> = {
  since: 'after',
  from: 'after',
  until: 'before',
  path: 'file',
  project: 'repo',
  repository: 'repo',
}

export async function askOf(context: Context, text: string, options: AskOptions): Promise<SearchQuery> {
  const { agent, file, limit, minScore, explain } = options
  // `repo:` in the words names another place than this one.
  const everywhere = options.repo === undefined && /(?:^|\s)repo:\S/i.test(text)
  const { repo } = await queryOf(context, everywhere ? { all: true } : options)
  if (options.repo !== undefined) await refuseNoRepository(context, repo ?? '')
  const engine = options.engine ?? (await context.setting<'builtin' | 'qmd'>('search.engine'))
  return {
    text,
    engine,
    ...(agent === undefined ? {} : { agent }),
    ...(repo === undefined ? {} : { repo }),
    ...(file === undefined ? {} : { file: fileOf(context.cwd, file) }),
    ...(limit === undefined ? {} : { limit: limit === 0 ? Number.MAX_SAFE_INTEGER : limit }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(explain === undefined ? {} : { explain }),
  }
}

async function refuseNoRepository(context: Context, folder: string): Promise<void> {
  const app = await context.app()
  if ((await app.repositoryOf(folder)) === null) {
    throw new AppError('repo_not_found', `${folder} is not in a git repository.`, {
      hint: 'Pass a path inside a git repository, or use --all.',
    })
  }
}

/** A file that is there, as its repository names it: other checkouts of it have another path in front. */
export function fileOf(cwd: string, file: string): string {
  const path = resolve(cwd, file)
  if (!isAbsolute(file) && !file.startsWith('.') && !existsSync(path)) return file
  const top = topOf(dirname(path))
  return top === null ? path : relative(top, path)
}

function topOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return null
  }
}

/** `agnt:codex` is searched for like any other word; that it was meant otherwise is said. */
export function filterHints(text: string): string[] {
  const hints: string[] = []
  for (const [, key = '', value = ''] of text.matchAll(/(?:^|\s)([a-z]{4,12}):([^\s/:]\S*)/gi)) {
    const name = key.toLowerCase()
    if (filterKeys.some((known) => known === name)) continue
    const near = otherNames[name] ?? filterKeys.find((known) => editDistance(name, known) <= (name.length > 4 ? 2 : 1))
    if (near !== undefined) hints.push(`${key}: is no filter. Did you mean ${near}:${value}?`)
  }
  return hints
}
