// The person's own keys, as the setting `tui.keys` has them: `fork=f5`, one word each; several of one action are all its keys.
import { AppError } from '../model/error.ts'
import { type ActionId, actions, type OwnKeys } from './keys.ts'

export function parseOwnKeys(words: readonly string[]): OwnKeys {
  const own: Partial<Record<ActionId, string[]>> = {}
  for (const word of words) {
    // A key may be `=` itself.
    const [, name = '', key = ''] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(word) ?? []
    const action = actions.find(({ id }) => id === name)
    if (action === undefined) {
      throw new AppError('bad_config', `tui.keys: "${word}" names no action; it is written action=key, as in fork=f5`, {
        hint: `Actions: ${actions.map(({ id }) => id).join(', ')}`,
      })
    }
    const keys = own[action.id] ?? []
    own[action.id] = [...keys, /^.$/u.test(key) ? key : key.toLowerCase()]
  }
  return own
}
