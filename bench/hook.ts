// The hook at the end of a turn in a repository of 20,000 files of which 5 changed, as a whole process, beside the bare git
// plumbing for the same (`add -A` to a private index, write-tree, commit-tree, update-ref), and a Node that does nothing.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeLock } from '../src/store/lock.ts'
import { type Command, repo as checkout, median, runProcess } from './measure.ts'
import { ms, printTable } from './table.ts'

const runs = 15
const files = 20_000
const changed = 5

/** What the plumbing does and no more: the index stays from turn to turn, as ours does. */
const plumbing = `
export GIT_INDEX_FILE="$OWN"
git add -A
tree=$(git write-tree)
commit=$(git commit-tree -m turn "$tree")
git update-ref refs/plumbing/turn "$commit"
`

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-hook-'))
  const root = join(folder, 'repo')
  const home = join(folder, 'home')
  const offshootHome = join(home, 'offshoot')
  const own = join(folder, 'own-index')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  let turn = 0
  let expected = ''

  /** Five files as nobody has seen them before. */
  const change = (): void => {
    turn += 1
    expected = `turn ${turn}\n`
    for (let number = 0; number < changed; number += 1)
      writeFileSync(join(root, fileName((number * 3989 + turn * 7) % files)), expected)
    writeFileSync(join(root, fileName(0)), expected)
  }
  const expectSaved = (place: string): void => {
    if (`${git('cat-file', '-p', `${place}${fileName(0)}`)}\n` !== expected) throw new Error(`${place} is not what was there`)
  }

  try {
    makeRepository(root)
    mkdirSync(home)
    const payload = join(folder, 'payload.json')
    const hook: Command = {
      argv: ['sh', '-c', `exec "${process.execPath}" "${join(checkout, 'bin', 'hook.js')}" claude < "${payload}"`],
      cwd: root,
      env: { HOME: home, OFFSHOOT_HOME: offshootHome, OFFSHOOT_INTERNAL: '' },
      before() {
        settle(offshootHome)
        change()
        const event = { session_id: 'bench', transcript_path: join(folder, 'none.jsonl'), cwd: root, hook_event_name: 'Stop' }
        writeFileSync(payload, JSON.stringify({ ...event, prompt_id: `turn-${turn}` }))
      },
      check: () => expectSaved(`refs/offshoot/claude/bench/turn-${turn}/end:wt/`),
    }
    const names = { GIT_AUTHOR_NAME: 'b', GIT_AUTHOR_EMAIL: 'b', GIT_COMMITTER_NAME: 'b', GIT_COMMITTER_EMAIL: 'b' }
    const bare: Command = {
      argv: ['sh', '-ec', plumbing],
      cwd: root,
      env: { OWN: own, ...names },
      before() {
        settle(offshootHome)
        change()
      },
      check: () => expectSaved('refs/plumbing/turn:'),
    }
    const node: Command = { argv: [process.execPath, '-e', '0'] }
    execFileSync('cp', ['-p', join(root, '.git', 'index'), own])
    const times: Record<'hook' | 'bare' | 'node', number[]> = { hook: [], bare: [], node: [] }
    for (let round = -2; round < runs; round += 1) {
      const [ours, peer, nothing] = [await runProcess(hook), await runProcess(bare), await runProcess(node)]
      if (round < 0) continue
      times.hook.push(ours.ms)
      times.bare.push(peer.ms)
      times.node.push(nothing.ms)
    }
    const [ours, peer, nothing] = [median(times.hook), median(times.bare), median(times.node)]
    const allowed = 1.5 * peer + 3 * nothing
    printTable(`hook: end of a turn, ${files} files, ${changed} changed; plumbing ${ms(peer)}, node -e 0 ${ms(nothing)}`, [
      { what: 'whole hook, beside 1.5x plumbing + 3x node', ours: ms(ours), peer: ms(allowed), ratio: allowed / ours, wanted: 1 },
    ])
  } finally {
    settle(offshootHome)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the last hook started in the background must be over: it would run beside whatever is measured next. */
function settle(home: string): void {
  const captures = join(home, 'captures')
  const pending = () => readdirSync(join(captures, 'pending')).some((name) => name.endsWith('.json'))
  try {
    for (let tries = 0; tries < 400 && pending(); tries += 1) pause(25)
  } catch {
    return // nothing was captured yet
  }
  for (const name of ['after.lock', 'push.lock']) takeLock(join(captures, name), 10_000)?.release()
  pause(100)
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function fileName(number: number): string {
  return join(`d${Math.floor(number / 1000)}`, `s${Math.floor(number / 20)}`, `f${number}.ts`)
}

function makeRepository(root: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', ...args], { cwd: root })
  mkdirSync(root)
  git('init', '-q')
  for (let number = 0; number < files; number += 1) {
    if (number % 20 === 0) mkdirSync(join(root, fileName(number), '..'), { recursive: true })
    writeFileSync(join(root, fileName(number)), `line ${number}\n`.repeat(40))
  }
  git('add', '-A')
  git('-c', 'gc.auto=0', 'commit', '-qm', 'first')
}
