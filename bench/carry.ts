// A workspace with the present state of 20,000 files, 200 of them dirty, beside `git worktree add` and the same changes by hand.
// Nothing is deleted until the end: right after deleting 20,000 files ext4 takes many times as long to make new ones.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, report, runProcess } from './measure.ts'
import { ms, printTable, type Row } from './table.ts'

const runs = 5

/** What a careful person types: staged and unstaged changes apart, then the untracked files. */
const byHand = `
git worktree add -q -b "$NAME" "$TARGET" HEAD
git diff --cached --binary | git -C "$TARGET" apply --index
git diff --binary | git -C "$TARGET" apply
git ls-files --others --exclude-standard -z | tar --null -cf - -T - | tar -xf - -C "$TARGET"
`

interface Subject {
  readonly planMs: number
  readonly makeMs: number
  readonly path: string
  readonly differences: readonly string[]
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-carry-'))
  try {
    const rows: Row[] = []
    for (const [name, attributes] of [
      ['no attributes', ''],
      ['* text=auto', '* text=auto\n'],
    ] as const) {
      const root = makeWorkTree(join(folder, name.replace(/\W+/g, '-')), attributes)
      rows.push(...(await measure(name, root)))
    }
    printTable('carry: 20,000 files, 60 staged, 80 changed, 60 untracked; planned and made, beside worktree add and apply', rows)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(name: string, root: string): Promise<Row[]> {
  const ours: Subject[] = []
  const hand: number[] = []
  for (let run = 0; run < runs; run += 1) {
    ours.push(await report<Subject>('carry', ['now', root, `${root}-worktrees`]))
    const target = `${root}-by-hand-${run}`
    const env = { NAME: `by-hand-${run}`, TARGET: target }
    hand.push((await runProcess({ argv: ['sh', '-ec', byHand], cwd: root, env })).ms)
    expectEqual(ours.at(-1), target)
  }
  const [make, plan, peer] = [ours.map((each) => each.makeMs), ours.map((each) => each.planMs), hand].map(median) as [
    number,
    number,
    number,
  ]
  return [
    { what: `${name}: make`, ours: ms(make), peer: ms(peer), ratio: peer / make, wanted: 0.67 },
    { what: `${name}: plan and make`, ours: ms(plan + make), peer: ms(peer), ratio: peer / (plan + make), wanted: 0.67 },
  ]
}

/** Both must have done the same work, else the times say nothing. */
function expectEqual(subject: Subject | undefined, target: string): void {
  const status = (cwd: string) => execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' })
  if (subject === undefined || subject.differences.length > 0 || status(subject.path) !== status(target)) {
    throw new Error(`the two work trees differ: ${subject?.path} ${target}`)
  }
}

function makeWorkTree(root: string, attributes: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', ...args], { cwd: root })
  const text = (seed: number) => Array.from({ length: 60 }, (_, line) => `line ${seed} ${line}\n`).join('')
  const file = (number: number) => join(root, `d${Math.floor(number / 1000)}`, `s${Math.floor(number / 20)}`, `f${number}.ts`)
  mkdirSync(root)
  git('init', '-q')
  if (attributes !== '') writeFileSync(join(root, '.gitattributes'), attributes)
  for (let number = 0; number < 20_000; number += 1) {
    if (number % 20 === 0) mkdirSync(join(file(number), '..'), { recursive: true })
    writeFileSync(file(number), text(number))
  }
  git('add', '-A')
  git('-c', 'gc.auto=0', 'commit', '-qm', 'first')
  for (let number = 0; number < 60; number += 1) writeFileSync(file(number * 300), text(-number))
  git('add', '-A')
  for (let number = 60; number < 140; number += 1) writeFileSync(file(number * 140), text(-number))
  for (let number = 140; number < 200; number += 1) writeFileSync(join(root, `new-${number}.ts`), text(number))
  return root
}
