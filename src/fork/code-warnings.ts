// What a person should know about the code before it is forked, and which of it needs a yes.
import { count } from '../lib/text/count.ts'
import type { CodeMode, Notice, WarningCode } from '../model/fork.ts'
import type { NameOption } from '../model/option-names.ts'
import { showPath } from '../snapshots/byte-path.ts'
import type { CodeState } from '../snapshots/code-state.ts'
import type { Submodules } from '../snapshots/find-submodules.ts'

const shown = 5

export function codeWarnings(mode: CodeMode, state: CodeState, submodules: Submodules, nameOption: NameOption) {
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
  warnings.push(...submoduleNotices(submodules), ...lfsNotices(mode, state), ...leftBehindNotices(state.leftBehind))
  return { warnings, confirm }
}

export function submoduleNotices({ empty }: Submodules): Notice<WarningCode>[] {
  if (empty.length === 0) return []
  const paths = listPaths(empty.map(({ path, reason }) => `${showPath(path)} (${reason})`))
  return [{ code: 'submodules', message: `Submodules stay empty folders in the workspace: ${paths}.` }]
}

export function lfsNotices(mode: CodeMode, { lfs }: Pick<CodeState, 'lfs'>): Notice<WarningCode>[] {
  if (!lfs) return []
  const how =
    mode === 'now'
      ? 'its files are copied as they lie in the work tree.'
      : 'its files are checked out from its local store; LFS fetches from its server what is not there.'
  return [{ code: 'lfs', message: `The repository uses Git LFS; ${how}` }]
}

export function leftBehindNotices(left: CodeState['leftBehind']): Notice<WarningCode>[] {
  if (left.length === 0) return []
  const paths = listPaths(left.map(({ path, files }) => (files === null || files === 1 ? path : `${path} (${files} files)`)))
  return [{ code: 'left_behind', message: `Not carried: ${paths}. A .worktreeinclude file names ignored files to take along.` }]
}

export function listPaths(paths: readonly string[]): string {
  const more = paths.length - shown
  return more > 0 ? `${paths.slice(0, shown).join(', ')} and ${more} more` : paths.join(', ')
}
