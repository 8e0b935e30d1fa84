// Makes one pack of several of ours: each counts toward the fifty from which on the person's git tidies up by itself. Packs are
// known by a list we keep; the new one holds every object of the old ones, reachable or not, so that nothing is pruned by it.
import { existsSync } from 'node:fs'
import { appendFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { anySize, loadRegular, loadRegularText } from '../lib/regular-file.ts'
import type { Git } from './git.ts'

export interface JoinOptions {
  readonly fromPacks?: number
  /** Bigger ones stay by themselves: they would be copied time and again. */
  readonly maxBytes?: number
}

const timeoutMs = 30 * 60_000
/** One pack, and on the disk before the old ones go, whatever the person's settings say of theirs. */
const whole = { 'pack.packSizeLimit': '0', 'core.fsync': 'pack,pack-metadata' }

const listPath = (commonDir: string) => join(commonDir, 'offshoot-packs')
const packsFolder = (commonDir: string) => join(commonDir, 'objects', 'pack')

/** What `pack-objects` said, once they are there: one we forget is merely left to the person's gc. */
export async function rememberPack(commonDir: string, names: string): Promise<void> {
  await appendFile(listPath(commonDir), `${names}\n`)
}

/** How many became one. */
export async function joinPacks(git: Git, commonDir: string, options: JoinOptions = {}): Promise<number> {
  const { fromPacks = 6, maxBytes = 256 << 20 } = options
  if ((await readList(commonDir)).length < fromPacks) return 0
  const ours = await findPacks(commonDir, await sweep(commonDir), maxBytes)
  // An index over several packs would go on naming those that go.
  if (ours.length < fromPacks || existsSync(join(packsFolder(commonDir), 'multi-pack-index'))) return 0
  const objects = new Set<string>()
  for (const name of ours) for (const id of await listObjects(git, commonDir, name)) objects.add(id)
  const args = ['pack-objects', '-q', '--delta-base-offset', join(packsFolder(commonDir), 'pack')]
  const input = [...objects].map((id) => `${id}\n`).join('')
  const made = (await git(args, { cwd: commonDir, input, timeoutMs, config: whole })).stdout.trim()
  for (const id of await listObjects(git, commonDir, made)) objects.delete(id)
  if (objects.size > 0) throw new Error(`${objects.size} objects of our packs are not in the one made of them in ${commonDir}`)
  await rememberPack(commonDir, made)
  const old = ours.filter((name) => name !== made)
  // The index first, as git does: without it the rest is nothing to anybody.
  for (const name of old) await rm(join(packsFolder(commonDir), `pack-${name}.idx`), { force: true })
  await sweep(commonDir)
  return old.length
}

/** Forgets those that are gone, and removes what is left of those whose removal was cut off. Gives those that are there. */
async function sweep(commonDir: string): Promise<string[]> {
  const known = await readList(commonDir)
  const there = known.filter((name) => existsSync(join(packsFolder(commonDir), `pack-${name}.idx`)))
  for (const name of known.filter((each) => !there.includes(each))) {
    for (const end of ['rev', 'pack']) await rm(join(packsFolder(commonDir), `pack-${name}.${end}`), { force: true })
  }
  await writeFile(listPath(commonDir), there.map((name) => `${name}\n`).join(''))
  return there
}

async function readList(commonDir: string): Promise<string[]> {
  try {
    const lines = (await loadRegularText(listPath(commonDir), anySize)).split('\n')
    return [...new Set(lines.filter((line) => /^[0-9a-f]{40,64}$/.test(line)))]
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Those that are there, and that nobody has said anything else about (`.keep`, `.promisor`, `.bitmap`). */
async function findPacks(commonDir: string, known: readonly string[], maxBytes: number): Promise<string[]> {
  const files = await readdir(packsFolder(commonDir))
  const found: string[] = []
  for (const name of known) {
    const ends = files.filter((file) => file.startsWith(`pack-${name}.`)).map((file) => file.slice(`pack-${name}.`.length))
    if (!ends.includes('pack') || !ends.includes('idx') || ends.some((end) => !['pack', 'idx', 'rev'].includes(end))) continue
    if ((await stat(join(packsFolder(commonDir), `pack-${name}.pack`))).size <= maxBytes) found.push(name)
  }
  return found
}

async function listObjects(git: Git, cwd: string, name: string): Promise<string[]> {
  const input = (await loadRegular(join(packsFolder(cwd), `pack-${name}.idx`), anySize)).toString('latin1')
  const { stdout } = await git(['show-index'], { cwd, input })
  return stdout.split('\n').flatMap((line) => line.split(' ')[1] ?? [])
}
