import { expect, test } from 'vitest'
import { createKeyTable } from './keys.ts'
import { parseOwnKeys } from './own-keys.ts'

test('keys of the settings take the place of the action’s own', () => {
  const own = parseOwnKeys(['fork=F5', 'fork=alt+g', 'last=L', 'search=='])
  expect(own).toEqual({ fork: ['f5', 'alt+g'], last: ['L'], search: ['='] })
  const keys = createKeyTable(own)
  expect(keys.find('composer', 'f5')).toBe('fork')
  expect(keys.find('composer', 'alt+shift+f')).toBeNull()
  expect(keys.find('sessions', '=')).toBe('search')
})

test.each(['fork', 'fly=f5', '=f5', 'fork=', 'fork=a b'])('%s is refused by name', (word) => {
  expect(() => parseOwnKeys([word])).toThrow(`"${word}"`)
})
