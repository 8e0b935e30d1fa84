// Compares a catalogue that lived through changes with one that reads the same files for the first time: they must agree.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import DatabaseConstructor from 'better-sqlite3'
import type { CatalogSession } from '../model/catalog.ts'
import type { Turn } from '../model/session.ts'
import { cacheTableNames } from '../store/migrations.ts'
import { databasePath } from '../store/open.ts'
import { type Catalog, type CatalogOptions, createCatalog } from './catalog.ts'

/** What a catalogue says of one session. */
interface Told {
  readonly session: CatalogSession
  readonly turns: readonly Turn[]
}

/**
 * Refreshes `catalog` and gives one line for each thing a fresh catalogue of the same agents and the same archive says
 * differently; none: they agree. `options` are those `catalog` was made with. Facts of our own (forks, labels, captures) are kept,
 * as a rebuild keeps them. Nothing in the home is changed.
 *
 * @example expect(await differencesFromFresh(catalog, options)).toEqual([])
 */
export async function differencesFromFresh(catalog: Catalog, options: CatalogOptions): Promise<string[]> {
  const lived = await tellAll(catalog)
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-fresh-'))
  const fresh = createCatalog({ ...options, folder })
  try {
    await copyFacts(options.folder, folder)
    return compare(lived, await tellAll(fresh))
  } finally {
    fresh.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The database without its cache, and the archive, which is only read. */
async function copyFacts(from: string, to: string): Promise<void> {
  const source = new DatabaseConstructor(databasePath(from), { readonly: true })
  await source.backup(databasePath(to))
  source.close()
  const copy = new DatabaseConstructor(databasePath(to))
  copy.pragma('foreign_keys = ON')
  for (const table of cacheTableNames) copy.exec(`DELETE FROM ${table}`)
  copy.exec("DELETE FROM meta WHERE key = 'catalog_seen'")
  copy.close()
  symlinkSync(join(from, 'archive'), join(to, 'archive'))
}

async function tellAll(catalog: Catalog): Promise<Map<string, Told>> {
  const told = new Map<string, Told>()
  for (const session of await catalog.listSessions()) {
    const turns = await catalog.listTurns(session, { deadBranches: true, refresh: false })
    told.set(`${session.agent}:${session.id} ${session.path}`, { session, turns })
  }
  return told
}

function compare(lived: ReadonlyMap<string, Told>, fresh: ReadonlyMap<string, Told>): string[] {
  const differences: string[] = []
  for (const name of lived.keys()) if (!fresh.has(name)) differences.push(`${name} is listed, and is not there`)
  for (const [name, is] of fresh) {
    const was = lived.get(name)
    if (was === undefined) {
      differences.push(`${name} is there, and is not listed`)
      continue
    }
    for (const field of Object.keys(is.session) as (keyof CatalogSession)[]) {
      if (!isSame(was.session[field], is.session[field])) {
        differences.push(`${name} has ${field} ${show(was.session[field])}, a fresh one ${show(is.session[field])}`)
      }
    }
    if (!isSame(was.turns, is.turns)) differences.push(`${name} has turns ${listTurns(was)}, a fresh one ${listTurns(is)}`)
  }
  return differences
}

function listTurns({ turns }: Told): string {
  return show(turns.map(({ number, id, state, prompt, ...rest }) => `${number ?? 'dead'} ${id} ${state} ${prompt} ${show(rest)}`))
}

function isSame(a: unknown, b: unknown): boolean {
  return show(a) === show(b)
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
