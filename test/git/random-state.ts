// Builds a repository in a random state: what a person, their tools and their git can do to a work tree in a few steps.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRandom } from './random.ts'
import { attributeLines, names, type RandomState, tolerate, write } from './random-files.ts'
import { randomSteps } from './random-steps.ts'
import { at, git, removeAny } from './scratch.ts'

export function makeRandomState(root: string, seed: number): RandomState {
  const state: RandomState = { root, random: createRandom(seed), tags: new Set() }
  const { random, tags } = state
  begin(state)
  const unborn = random.chance(0.05)
  for (const name of names) if (random.chance(0.6)) write(state, name)
  if (unborn) tags.add('unborn')
  else {
    commit(root)
    divert(state)
  }
  if (random.chance(0.1)) {
    git(root, ['update-index', '--split-index'], { mayFail: true })
    tags.add('split')
  }
  for (let count = random.below(14); count > 0; count--) {
    const [tag, step] = random.pick(randomSteps)
    tags.add(tag)
    tolerate(() => step(state, random.pick(names)))
  }
  return state
}

function begin({ root, random, tags }: RandomState): void {
  mkdirSync(root, { recursive: true })
  git(root, ['init', '-q', '-b', 'main', ...(random.chance(0.05) ? ['--object-format=sha256'] : [])])
  const set = (name: string, value: string, probability: number) => {
    if (!random.chance(probability)) return
    git(root, ['config', name, value])
    tags.add(`${name}=${value}`)
  }
  if (random.chance(0.5)) writeFileSync(at(root, '.gitignore'), '*.log\nign/\n')
  if (random.chance(0.35)) {
    writeFileSync(at(root, '.gitattributes'), random.pick(attributeLines))
    tags.add('attributes')
  }
  if (random.chance(0.2)) writeFileSync(at(root, '.worktreeinclude'), 'ign/\n!ign/no\n')
  git(root, ['config', 'filter.turn.clean', 'cat && printf X'])
  git(root, ['config', 'filter.turn.smudge', 'head -c -1'])
  set('index.version', '4', 0.2)
  set('core.untrackedCache', 'true', 0.1)
  set('core.autocrlf', random.pick(['true', 'input']), 0.12)
  set('core.filemode', 'false', 0.05)
  set('core.ignorecase', 'true', 0.05)
  set('core.fsmonitor', '/bin/true', 0.05)
  set('core.checkStat', 'minimal', 0.1)
}

function commit(root: string): void {
  git(root, ['add', '-A'], { mayFail: true })
  git(root, ['commit', '-q', '--allow-empty', '-m', 'one of many'])
}

/** Into a conflict, off the branch, or to a part of the tree only. */
function divert(state: RandomState): void {
  const { root, random, tags } = state
  const kind = random.next()
  if (kind < 0.3) {
    tags.add('conflict')
    git(root, ['checkout', '-q', '-b', 'other'])
    disturb(state)
    git(root, ['checkout', '-q', 'main'], { mayFail: true })
    disturb(state)
    const meeting = kind < 0.15 ? ['merge', '-q', 'other'] : kind < 0.25 ? ['cherry-pick', 'other'] : ['rebase', 'other']
    git(root, meeting, { mayFail: true })
  } else if (kind < 0.35) {
    tags.add('detached')
    git(root, ['checkout', '-q', '--detach'])
  } else if (kind < 0.42) {
    tags.add('sparse')
    git(root, ['sparse-checkout', 'set', '--cone', 'd'])
    if (random.chance(0.3)) git(root, ['config', 'index.sparse', 'true'])
  }
}

function disturb(state: RandomState): void {
  for (const name of state.random.sample(names, 7)) {
    if (state.random.chance(0.7)) tolerate(() => write(state, name, false))
    else removeAny(at(state.root, name))
  }
  commit(state.root)
}
