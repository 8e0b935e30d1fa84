import type { NameOption } from '../model/option-names.ts'

/** An option as the command line takes it. */
export const nameFlag: NameOption = (name, value) => {
  const flag = `--${name.replaceAll('_', '-')}`
  if (value === undefined || value === true) return flag
  return (typeof value === 'string' ? [value] : value).map((each) => `${flag} ${each}`).join(' ')
}
