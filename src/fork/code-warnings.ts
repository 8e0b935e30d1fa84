// What a person should know about the code before it is forked, and which of it needs a yes.
import { count } from '../lib/text/count.ts'
import type { CodeMode, Notice, WarningCode } from '../model/fork.ts'
import type { NameOption } from '../model/option-names.ts'
import type { CodeState } from '../snapshots/code-state.ts'

const shown = 5

export function codeWarnings(mode: CodeMode, state: CodeState, nameOption: NameOption) {
  const warnings: Notice<WarningCode>[] = []
  const confirm: WarningCode[] = []
  const carried = mode === 'now'
  const open = [...state.dirtyFiles.map(({ path }) => path), ...state.untracked]
  if (open.length > 0) {
    const what = `${count(state.dirtyFiles.length, 'changed file')} and ${count(state.untracked.length, 'untracked file')}`
    const fate = carried
      ? 'They are carried into the workspace; commit them first if you rather would.'
      : `They are not carried: commit them, or use ${nameOption('code', 'now')}.`
    warnings.push({ code: 'dirty', message: `The work tree has ${what}: ${listPaths(open)}. ${fate}` })
    confirm.push('dirty')
  }
  if (state.operation !== null) {
    const { kind } = state.operation
    const goesOn = carried && state.operation.carried
    const fate = goesOn ? 'It can be continued in the workspace too.' : 'The workspace will not be in the middle of it.'
    warnings.push({ code: 'git_operation', message: `A ${kind} is in progress in the work tree. ${fate}` })
    if (!goesOn) confirm.push('git_operation')
  }
  if (state.submodules.length > 0) {
    const paths = listPaths(state.submodules.map(({ path }) => path))
    warnings.push({ code: 'submodules', message: `Submodules stay empty folders in the workspace: ${paths}.` })
  }
  if (state.lfs)
    warnings.push({ code: 'lfs', message: 'The repository uses Git LFS; its files are copied as they lie in the work tree.' })
  const left = state.leftBehind.filter(({ reason }) => reason !== 'submodule')
  if (left.length > 0) {
    const paths = listPaths(left.map(({ path, files }) => (files === null || files === 1 ? path : `${path} (${files} files)`)))
    warnings.push({
      code: 'left_behind',
      message: `Not carried: ${paths}. A .worktreeinclude file names ignored files to take along.`,
    })
  }
  return { warnings, confirm }
}

export function listPaths(paths: readonly string[]): string {
  const more = paths.length - shown
  return more > 0 ? `${paths.slice(0, shown).join(', ')} and ${more} more` : paths.join(', ')
}
