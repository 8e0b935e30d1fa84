// What a person, their editor or their git does to a work tree in one step.
import { chmodSync, lstatSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { attributeLines, makeRoom, type RandomState, write } from './random-files.ts'
import { at, git, removeAny, there } from './scratch.ts'

type Step = (state: RandomState, name: string) => unknown

const all =
  (...steps: Step[]): Step =>
  (state, name) =>
    steps.forEach((step) => void step(state, name))

const perhaps =
  (step: Step): Step =>
  (state, name) =>
    state.random.chance(0.5) && step(state, name)

const under =
  (fixed: string, step: Step): Step =>
  (state) =>
    step(state, fixed)

/** By stdin: an argument cannot hold a byte that is not UTF-8. */
const runOn =
  (...args: string[]): Step =>
  ({ root }, name) =>
    git(root, [...args, '--pathspec-from-file=-', '--pathspec-file-nul'], { input: `${name}\0`, mayFail: true })

const mark =
  (flag: string): Step =>
  ({ root }, name) =>
    git(root, ['update-index', flag, '-z', '--stdin'], { input: `${name}\0`, mayFail: true })

const edit: Step = (state, name) => write(state, name)
const remove: Step = ({ root }, name) => removeAny(at(root, name))
const stage = runOn('add')
const link: Step = ({ root }, name) => symlinkSync('a', makeRoom(root, name))
const rename =
  (change: (name: string) => string): Step =>
  ({ root }, name) =>
    there(at(root, name)) && renameSync(at(root, name), at(root, change(name)))

const flat = (name: string) => name.replaceAll('/', '_')

const gitMove: Step = ({ root }, name) => {
  if (/[^\x20-\x7e]/.test(name)) return
  git(root, ['mv', '--', name, `moved-${flat(name)}`], { mayFail: true })
}

const flipExecutable: Step = ({ root }, name) => {
  const stats = lstatSync(at(root, name))
  if (stats.isFile()) chmodSync(at(root, name), stats.mode ^ 0o111)
}

const folderOfFile: Step = ({ root }, name) => {
  mkdirSync(makeRoom(root, name), { recursive: true })
  writeFileSync(at(root, `${name}/inner`), 'i')
}

const touch: Step = ({ root }, name) => lstatSync(at(root, name)).isFile() && utimesSync(at(root, name), 1e9, 1e9)

const put =
  (text: string): Step =>
  ({ root }, name) =>
    writeFileSync(makeRoom(root, name), text)

/** Written and staged, then written again in the same second with the same size: git must look twice. */
const racy = under('r', all(put('11111111'), stage, put('22222222')))

const rewrite =
  (file: string, texts: readonly string[]): Step =>
  ({ root, random }) =>
    writeFileSync(at(root, file), random.pick(texts))

const anyOf =
  (choices: readonly string[], step: Step): Step =>
  (state) =>
    step(state, state.random.pick(choices))

const added = ['ita0', 'ita1', 'ita2', 'ita3', 'itad/x0', 'itad/x1']
const intendToAdd = all(edit, runOn('add', '-N'))

export const randomSteps: readonly (readonly [string, Step])[] = [
  ['edit', edit],
  ['edit', edit],
  ['stage', all(edit, stage)],
  ['stage', all(edit, stage)],
  ['stage and edit', all(edit, stage, edit)],
  ['delete', remove],
  ['rm', runOn('rm', '-qrf')],
  ['rm cached', runOn('rm', '-qrf', '--cached')],
  ['rm, then again', all(runOn('rm', '-qf'), edit)],
  ['add, then gone', under('ad', all(edit, stage, remove))],
  ['git mv', gitMove],
  ['mv', rename((name) => `mv-${flat(name)}`)],
  ['mv case', rename((name) => name.toUpperCase())],
  ['chmod', flipExecutable],
  ['chmod and stage', all(flipExecutable, stage)],
  ['new', anyOf(['new0', 'new1', 'new2', 'nd0/x/y0', 'nd0/x/y1', 'nd1/x/y0'], edit)],
  ['new', anyOf(['new0', 'new1', 'new2', 'nd0/x/y0', 'nd0/x/y1', 'nd1/x/y0'], edit)],
  ['intent to add', anyOf(added, intendToAdd)],
  ['intent to add', anyOf(added, intendToAdd)],
  ['intent to add, gone', anyOf(added, all(intendToAdd, remove))],
  ['link', all(link, perhaps(stage))],
  ['file to folder', all(folderOfFile, perhaps(runOn('add', '-A')))],
  ['folder to file', anyOf(['d', 'p', 's', 's/t'], edit)],
  ['folder to link', anyOf(['d', 'p', 's'], link)],
  ['force add', under('y.log', all(edit, runOn('add', '-f')))],
  ['assume unchanged', all(mark('--assume-unchanged'), perhaps(edit))],
  ['skip worktree', all(mark('--skip-worktree'), perhaps(edit))],
  ['edit ignores', rewrite('.gitignore', ['*.log\n', 'a\nnew*\n', '', 'ign/\nd/\n'])],
  ['edit attributes', rewrite('.gitattributes', [...attributeLines, ''])],
  ['racy', racy],
  ['touch', touch],
  ['new line ends', under('b.txt', put('one\r\ntwo\r\n'))],
  ['empty folder', ({ root }) => mkdirSync(at(root, 'emptyd'), { recursive: true })],
  ['ignored', all(under('ign/x', edit), under('ign/no', edit))],
]
