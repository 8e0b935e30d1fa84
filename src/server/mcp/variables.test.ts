import { expect, it } from 'vitest'
import { checkVariables } from './variables.ts'

it('lets plain variables through', () => {
  expect(() => checkVariables({ PROXY_URL: 'http://x', ANTHROPIC_MODEL: 'm', _X1: '' })).not.toThrow()
})

it.each(['PATH', 'HOME', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS', 'GIT_SSH_COMMAND', 'BASH_ENV', 'OFFSHOOT_HOME'])(
  'refuses %s, which decides what runs',
  (name) => {
    expect(() => checkVariables({ [name]: 'x' })).toThrow(expect.objectContaining({ code: 'refused' }))
  },
)

it.each(['', 'A B', 'A=B', '1A', '-x', 'A\n'])('refuses the name %j', (name) => {
  expect(() => checkVariables({ [name]: 'x' })).toThrow(expect.objectContaining({ code: 'usage' }))
})

it('refuses a NUL', () => {
  expect(() => checkVariables({ A: 'x\0y' })).toThrow(expect.objectContaining({ code: 'usage' }))
})
