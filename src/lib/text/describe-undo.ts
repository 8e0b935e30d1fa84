// What became of a start that failed, in one sentence: the same words on every surface.
import type { UndoResult } from '../../model/fork.ts'

export function describeUndo({ kept }: Pick<UndoResult, 'kept'>, hadWorkspace: boolean): string {
  if (kept.length > 0) return `Not all of it could be removed. Kept: ${kept.join('; ')}.`.replace(/\.\.$/, '.')
  return hadWorkspace ? 'Nothing was left behind: its workspace was removed.' : 'Nothing was left behind.'
}
