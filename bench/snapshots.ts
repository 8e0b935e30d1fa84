// Snapshots beside bare git: the time of one among 20,000 files with 5 changed, and the space of 1,000 small ones beside the
// same as plain commits after `git gc`.
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, runProcess, subject } from './measure.ts'
import { ms, printTable, type Row } from './table.ts'

const runs = 9
const count = Number(process.env.OFFSHOOT_BENCH_SNAPSHOTS ?? 1000)
const who = ['-c', 'user.name=b', '-c', 'user.email=b@localhost', '-c', 'gc.auto=0']

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-snapshots-'))
  try {
    const rows = [await measureTime(folder), ...(await measureSpace(folder))]
    printTable(`snapshots: 20,000 files, 5 changed, the process included; then the space of ${count} small ones`, rows)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const plumbing = `
export GIT_INDEX_FILE="$INDEX"
git add -A
tree=$(git write-tree)
commit=$(git commit-tree "$tree" -m snapshot)
git update-ref "refs/plumbing/$NUMBER" "$commit"
echo "{\\"tree\\":\\"$tree\\"}"
`

/** Allowed: one and a half times the plumbing and three times a bare Node. */
async function measureTime(folder: string): Promise<Row> {
  const root = makeWorkTree(join(folder, 'large'), 20_000)
  const bare = join(folder, 'plumbing-index')
  cpSync(join(root, '.git', 'index'), bare, { preserveTimestamps: true })
  const times = { ours: [] as number[], peer: [] as number[], node: [] as number[] }
  for (let number = 0; number <= runs; number += 1) {
    for (let file = 0; file < 5; file += 1) appendFileSync(fileOf(root, file * 4000 + 1), `${number}\n`)
    const env = { ...identity, INDEX: bare, NUMBER: String(number) }
    const peer = await runProcess({ argv: ['sh', '-ec', plumbing], cwd: root, env })
    const ours = await runProcess({
      argv: [process.execPath, subject('snapshot'), root, join(folder, 'captures', 'index'), String(number), '1'],
    })
    const node = await runProcess({ argv: [process.execPath, '-e', '0'] })
    if (ours.stdout.trim() !== peer.stdout.trim()) throw new Error('the two trees differ')
    if (number === 0) continue
    times.ours.push(ours.ms)
    times.peer.push(peer.ms)
    times.node.push(node.ms)
  }
  const allowed = 1.5 * median(times.peer) + 3 * median(times.node)
  const ours = median(times.ours)
  const what = `one, beside 1.5x plumbing (${ms(median(times.peer))}) + 3x node (${ms(median(times.node))})`
  return { what, ours: ms(ours), peer: ms(allowed), ratio: allowed / ours, wanted: 1 }
}

const identity = {
  GIT_AUTHOR_NAME: 'b',
  GIT_AUTHOR_EMAIL: 'b@localhost',
  GIT_COMMITTER_NAME: 'b',
  GIT_COMMITTER_EMAIL: 'b@localhost',
}

/** First what we pack ourselves; then after the person's own gc, which also packs the refs. */
async function measureSpace(folder: string): Promise<Row[]> {
  const ours = makeWorkTree(join(folder, 'ours'), 1000)
  git(ours, 'gc', '-q')
  const peer = join(folder, 'peer')
  cpSync(ours, peer, { recursive: true, preserveTimestamps: true })
  const before = { objects: objectBytes(ours), all: bytesOf(join(ours, '.git')) }
  await runProcess({ argv: [process.execPath, subject('snapshot'), ours, join(folder, 'small', 'index'), '1', String(count)] })
  commitAll(peer)
  git(peer, 'gc', '-q')
  const packed = objectBytes(ours) - before.objects
  const commits = objectBytes(peer) - before.objects
  git(ours, 'gc', '-q')
  const [allOurs, allPeer] = [bytesOf(join(ours, '.git')) - before.all, bytesOf(join(peer, '.git')) - before.all]
  const row = (what: string, own: number, other: number): Row => {
    return { what, ours: kb(own), peer: kb(other), ratio: other / own, wanted: 0.67 }
  }
  return [row('objects, packed by us', packed, commits), row("all of .git after the person's gc", allOurs, allPeer)]
}

/** The same changes as the subject makes. */
function commitAll(root: string): void {
  for (let number = 1; number <= count; number += 1) {
    const lines = Array.from({ length: 60 }, (_, line) => `line ${line} ${line % 60 === number % 60 ? number : ''}\n`)
    writeFileSync(join(root, `d${number % 7}`, 'changing.txt'), lines.join(''))
    git(root, 'add', '-A')
    const message = `Change number ${number}: make the handler return early when the token has expired`
    git(root, 'commit', '-qm', message)
  }
}

function fileOf(root: string, number: number): string {
  return join(root, `d${Math.floor(number / 1000)}`, `s${Math.floor(number / 20)}`, `f${number}.ts`)
}

function makeWorkTree(root: string, files: number): string {
  mkdirSync(root)
  git(root, 'init', '-q')
  for (let folder = 0; folder < 7; folder += 1) mkdirSync(join(root, `d${folder}`), { recursive: true })
  for (let number = 0; number < files; number += 1) {
    if (number % 20 === 0) mkdirSync(join(fileOf(root, number), '..'), { recursive: true })
    writeFileSync(fileOf(root, number), Array.from({ length: 60 }, (_, line) => `line ${number} ${line}\n`).join(''))
  }
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', 'first')
  return root
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' })
}

/** As they lie on the disk, loose ones by whole blocks. */
function objectBytes(root: string): number {
  const counts = git(root, 'count-objects', '-v')
  const kib = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counts)?.[1] ?? 0)
  return 1024 * (kib('size') + kib('size-pack'))
}

function bytesOf(folder: string): number {
  return 1024 * Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0])
}

const kb = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
