import { describe, expect, it } from 'vitest'
import { briefPrompt } from './brief-prompt.ts'

describe('the prompt kept with a snapshot', () => {
  it('is the first line that says something', async () => {
    expect(await briefPrompt('\n  \r\n\tfix\u0007 it \nand more')).toBe('fix  it')
    expect(await briefPrompt('one\u2028two')).toBe('one')
    expect(await briefPrompt('')).toBe('')
    expect(await briefPrompt(null)).toBe('')
  })

  it('has 200 characters at most, none of them half', async () => {
    expect(await briefPrompt('x'.repeat(500))).toHaveLength(200)
    expect(await briefPrompt(`${'x'.repeat(199)}😀😀`)).toBe('x'.repeat(199))
  })

  it('holds no secret, also not one that the cut would run through', async () => {
    const token = `ghp_${'aB3'.repeat(12)}`
    expect(await briefPrompt(`use ${token} please`)).not.toContain('ghp_')
    expect(await briefPrompt(`${'x '.repeat(95)}${token}`)).not.toContain('ghp_')
    const aws = `AKIA${'A1B2C3D4E5F6G7H8'}`
    expect(await briefPrompt(`key ${aws} here`)).not.toContain(aws)
  })
})
