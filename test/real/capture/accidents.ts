// What can go wrong around the hook while an agent works.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CaptureBench } from './bench.ts'

export interface Accident {
  readonly name: string
  /** Handed to wrapped-hook.mjs. */
  readonly wish?: (bench: CaptureBench) => object
  readonly setUp?: (bench: CaptureBench) => void
  readonly clearUp?: (bench: CaptureBench) => void
  /** `later`: with the next prompt. */
  readonly captured: 'at once' | 'later'
}

const killed = (dieAt: string): Accident => ({ name: `killed at "${dieAt}"`, wish: () => ({ dieAt }), captured: 'later' })

let rebases = 0

export const accidents: readonly Accident[] = [
  killed('before end#1'),
  {
    name: 'index.lock',
    setUp: ({ work }) => writeFileSync(join(work, '.git', 'index.lock'), ''),
    clearUp: ({ work }) => rmSync(join(work, '.git', 'index.lock')),
    captured: 'at once',
  },
  { name: 'read-only .git', wish: ({ work }) => ({ readOnly: join(work, '.git') }), captured: 'later' },
  { name: 'a rebase in progress', setUp: stopInRebase, clearUp: ({ git }) => void git('rebase', '--abort'), captured: 'at once' },
  // Both hooks die before they have noted anything: what the next prompt finds is all that is known of the turn.
  killed('locked#1'),
  killed('after end#1'),
  killed('noted#1'),
]

function stopInRebase({ git, work, vars }: CaptureBench): void {
  rebases += 1
  const commit = (text: string) => {
    writeFileSync(join(work, 'disputed.txt'), text)
    git('add', 'disputed.txt')
    git('commit', '-qm', text)
  }
  git('checkout', '-q', '-b', `side-${rebases}`)
  commit(`side ${rebases}`)
  git('checkout', '-q', 'main')
  commit(`main ${rebases}`)
  git('checkout', '-q', `side-${rebases}`)
  const { status } = spawnSync('git', ['rebase', 'main'], { cwd: work, env: vars, stdio: 'ignore' })
  if (status === 0) throw new Error('the rebase went through')
}
