// What a person can do about a warning on the command line, where its message does not say so itself.
import type { WarningCode } from '../../model/fork.ts'

const remedies: Partial<Record<WarningCode, string>> = {
  context_high: 'Fork at an earlier turn to leave more room.',
  context_over: 'Fork at an earlier turn, or use --strategy seed --allow-cut.',
  git_operation: 'Finish or abort it first if it should not stay behind.',
  submodules: 'Run `git submodule update --init` in the workspace.',
  code_late: 'Choose another turn with --code-at if it should not be in it.',
  code_reconstructed: '`offshoot hooks install` captures turns to come.',
  code_approximate: 'Use --code now or --code head, or another turn with --code-at.',
  mid_turn: 'Name a turn instead of a message to end with a whole one.',
}

/** Empty where nothing needs to be done, or the message says it. */
export function remedyFor(code: WarningCode): string {
  return remedies[code] ?? ''
}
