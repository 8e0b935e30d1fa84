// How messages name the options of a request. Every face has its own words for the same option: a flag on the command line,
// a parameter of HTTP and MCP, a field of a dialog. Pure.

export type OptionName =
  | 'accept'
  | 'all'
  | 'allow_cut'
  | 'at'
  | 'before'
  | 'branch'
  | 'code'
  | 'code_at'
  | 'force'
  | 'prompt'
  | 'push'
  | 'send'
  | 'strategy'

/** An option, with the value that is advised: `--code head`, or `code: "head"`. */
export type NameOption = (name: OptionName, value?: string | true | readonly string[]) => string

const parameters: Partial<Record<OptionName, string>> = { at: 'at_turn', before: 'before_turn' }

/** As programs name it: HTTP, MCP and the library. */
export const nameParameter: NameOption = (name, value) => {
  const parameter = parameters[name] ?? name
  return `\`${value === undefined ? parameter : `${parameter}: ${JSON.stringify(value)}`}\``
}
