// What the user can do about a warning, where its message does not say so itself.
import type { WarningCode } from '../../model/fork.ts'
import type { NameOption } from '../../model/option-names.ts'

const remedies: Partial<Record<WarningCode, string | ((nameOption: NameOption) => string)>> = {
  context_high: 'Fork at an earlier turn to leave more room.',
  context_over: (nameOption) =>
    `Fork at an earlier turn, or use ${nameOption('strategy', 'seed')} and ${nameOption('allow_cut', true)}.`,
  price_high: 'Fork at an earlier turn, or raise fork.max_price.',
  git_operation: 'Finish or abort it first if it should not stay behind.',
  submodules: 'Run `git submodule update --init` in the workspace.',
  code_now: (nameOption) => `Use ${nameOption('code', 'head')} for a clean checkout instead.`,
  code_late: (nameOption) => `If that matters, choose another turn, or use ${nameOption('code', 'now')}.`,
  code_reconstructed: '`offshoot hooks status` says whether turns to come are captured.',
  code_approximate: (nameOption) => `Or use ${nameOption('code', 'now')} or ${nameOption('code', 'head')}.`,
  mid_turn: 'Name a turn instead of a message to end with a whole one.',
}

/** Empty where nothing needs to be done, or the message says it. */
export function remedyFor(code: WarningCode, nameOption: NameOption): string {
  const remedy = remedies[code] ?? ''
  return typeof remedy === 'string' ? remedy : remedy(nameOption)
}
