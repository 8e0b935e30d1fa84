// Secrets known by the place they are in: a header, a variable, a field, an address, an argument, a line of a known file.
import { addresses } from './place-addresses.ts'
import { calls } from './place-calls.ts'
import { commands } from './place-commands.ts'
import { fields } from './place-fields.ts'
import { files } from './place-files.ts'
import { headers } from './place-headers.ts'
import { lists } from './place-lists.ts'
import { prose } from './place-prose.ts'
import { variables } from './place-variables.ts'
import type { Rule } from './scan.ts'

export const placeRules: readonly Rule[] = [
  ...headers,
  ...commands,
  ...files,
  ...addresses,
  ...variables,
  ...fields,
  ...lists,
  ...calls,
  ...prose,
]
