import type { NameOption, OptionName } from '../model/option-names.ts'
import { forkFieldLabels } from './update/fork-fields.ts'

const labels: Partial<Record<OptionName, string>> = {
  strategy: forkFieldLabels.strategy,
  code: forkFieldLabels.code,
  branch: forkFieldLabels.branch,
  allow_cut: forkFieldLabels.allowCut,
}

/** An option as the dialogs of the terminal UI show it. */
export const nameField: NameOption = (name, value) => {
  const label = labels[name] ?? name.replaceAll('_', ' ')
  if (value === undefined) return `"${label}"`
  return `"${label}": ${value === true ? 'yes' : value.toString()}`
}
