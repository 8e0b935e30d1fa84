// The data the benchmarks run on, written once into bench/.data: a home of many sessions, and single large ones.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ClaudeOptions, claudeFolder, claudeSession, type Json } from './claude.ts'
import { codexPath, codexSession } from './codex.ts'
import { createRandom, type Random } from './random.ts'

const dataFolder = fileURLToPath(new URL('../.data', import.meta.url))
const firstDay = Date.parse('2026-01-05T08:00:00Z')
const dayMs = 86_400_000

/** 2,000 Claude sessions of about 230 MB in 25 directories; the longest hold thousands of lines, every twentieth is a fork. */
export function manySessionsHome(sessions = 2000): string {
  return make(`claude-${sessions}`, (home) => {
    const random = createRandom(sessions)
    const projects = Array.from({ length: 25 }, (_, index) => join(home, 'work', `project-${index}`))
    // Every second directory is a real repository; the others are gone, as those of old sessions are.
    for (const project of projects.filter((_, index) => index % 2 === 0)) makeRepository(project)
    let lastChain: { cwd: string; lines: Json[] } | undefined
    for (let index = 0; index < sessions; index += 1) {
      const fork = lastChain !== undefined && index % 20 === 19 ? lastChain : undefined
      const options: ClaudeOptions = {
        id: random.uuid(),
        cwd: fork?.cwd ?? random.pick(projects),
        version: index % 3 === 0 ? '2.1.197' : '2.1.325',
        startedAt: firstDay + (index * 300 * dayMs) / sessions,
        turns: turnCount(random),
        ...(fork && { inherited: fork.lines }),
      }
      const path = join(home, '.claude', 'projects', claudeFolder(options.cwd), `${options.id}.jsonl`)
      const lines = [...claudeSession(random, options)]
      writeLines(path, lines)
      utimesSync(path, options.startedAt / 1000, options.startedAt / 1000)
      if (index % 20 === 18) lastChain = { cwd: options.cwd, lines: lines.filter((line) => 'parentUuid' in line) }
    }
  })
}

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const author = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid']
  execFileSync('git', ['init', '-q', folder])
  execFileSync('git', ['-C', folder, ...author, 'commit', '-q', '--allow-empty', '-m', 'first'])
}

/** Most sessions are short, a few are very long. */
function turnCount(random: Random): number {
  return Math.max(1, Math.min(150, Math.round(0.94 / (random.next() + 0.012) + random.int(0, 2))))
}

/** One Claude session of about this size, where Claude Code would keep it. */
export function largeClaudeSession(megabytes: number): { home: string; path: string; id: string; cwd: string } {
  const cwd = '/home/dev/work/large'
  const home = make(`claude-${megabytes}mb`, (folder) => {
    const random = createRandom(megabytes)
    const id = random.uuid()
    const lines = claudeSession(random, {
      id,
      cwd,
      version: '2.1.325',
      startedAt: firstDay,
      turns: 1_000_000,
      outputCharacters: 4000,
    })
    writeLines(join(folder, '.claude', 'projects', claudeFolder(cwd), `${id}.jsonl`), lines, megabytes * 1e6)
  })
  const path = onlyFile(join(home, '.claude'))
  return { home, path, id: idOf(path), cwd }
}

export function largeCodexSession(megabytes: number): { home: string; path: string; id: string } {
  const home = make(`codex-${megabytes}mb`, (folder) => {
    const random = createRandom(megabytes)
    const id = random.uuid()
    const lines = codexSession(random, {
      id,
      cwd: '/home/dev/work/large',
      startedAt: firstDay,
      turns: 1_000_000,
      outputCharacters: 4000,
    })
    writeLines(join(folder, '.codex', codexPath(id, firstDay)), lines, megabytes * 1e6)
  })
  const path = onlyFile(join(home, '.codex'))
  return { home, path, id: idOf(path) }
}

/** Makes a folder once. The generators' own sources are part of its name: changed generators never meet old data. */
function make(name: string, fill: (folder: string) => void): string {
  const folder = join(dataFolder, `${name}-${generatorVersion()}`)
  const done = join(folder, '.done')
  if (existsSync(done)) return folder
  process.stderr.write(`generating ${name} ...\n`)
  mkdirSync(dataFolder, { recursive: true })
  for (const old of readdirSync(dataFolder).filter((entry) => entry.startsWith(`${name}-`))) {
    rmSync(join(dataFolder, old), { recursive: true, force: true })
  }
  mkdirSync(folder, { recursive: true })
  fill(folder)
  writeFileSync(done, '')
  return folder
}

function generatorVersion(): string {
  const hash = createHash('sha256')
  const folder = dirname(fileURLToPath(import.meta.url))
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 8)
}

function writeLines(path: string, lines: Iterable<Json>, maxBytes = Number.POSITIVE_INFINITY): void {
  mkdirSync(dirname(path), { recursive: true })
  const fd = openSync(path, 'w', 0o600)
  let bytes = 0
  let pending = ''
  for (const line of lines) {
    pending += `${JSON.stringify(line)}\n`
    if (pending.length < 1 << 20) continue
    bytes += writeSync(fd, pending)
    pending = ''
    if (bytes >= maxBytes) break
  }
  writeSync(fd, pending)
  closeSync(fd)
}

function onlyFile(folder: string): string {
  const file = readdirSync(folder, { recursive: true, withFileTypes: true }).find((entry) => entry.name.endsWith('.jsonl'))
  if (file === undefined) throw new Error(`no session in ${folder}`)
  return join(file.parentPath, file.name)
}

function idOf(path: string): string {
  return path.slice(-42, -6)
}
