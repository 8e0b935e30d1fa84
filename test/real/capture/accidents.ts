// What can go wrong around the hook while an agent works.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CaptureBench } from './bench.ts'

export interface Accident {
  readonly name: string
  /** Handed to wrapped-hook.mjs. */
  readonly wish?: (bench: CaptureBench) => object
  readonly setUp?: (bench: CaptureBench) => void
  readonly clearUp?: (bench: CaptureBench) => void
  /** The hook can do its work in spite of it. */
  readonly captured: boolean
}

const killed = (dieAt: string): Accident => ({ name: `killed at "${dieAt}"`, wish: () => ({ dieAt }), captured: false })

let rebases = 0

export const accidents: readonly Accident[] = [
  killed('before end#1'),
  {
    name: 'index.lock',
    setUp: ({ work }) => writeFileSync(join(work, '.git', 'index.lock'), ''),
    clearUp: ({ work }) => rmSync(join(work, '.git', 'index.lock')),
    captured: true,
  },
  { name: 'read-only .git', wish: ({ work }) => ({ readOnly: join(work, '.git') }), captured: false },
  { name: 'a rebase in progress', setUp: stopInRebase, clearUp: ({ git }) => void git('rebase', '--abort'), captured: true },
  killed('locked#1'),
  killed('after end#1'),
  killed('noted#1'),
]

function stopInRebase({ git, work }: CaptureBench): void {
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
  try {
    git('rebase', 'main')
  } catch {
    return // stopped at the conflict, as it should
  }
  throw new Error('the rebase went through')
}
