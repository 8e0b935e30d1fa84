import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addTrust, moveTrust, readTrust, removeTrust, trustHash, trustKey } from './hook-trust.ts'

const file = '/home/me/.codex/hooks.json'
const key = (event: string, group = 0, handler = 0) => trustKey(file, event, group, handler)
const ours = new Map(
  ['UserPromptSubmit', 'Stop', 'Interrupt', 'SessionEnd'].map((event) => [key(event), trustHash(event, 'x', 3)]),
)
const add = (text: string) => addTrust(text, 'config.toml', ours)
const remove = (text: string, keys: Iterable<string> = ours.keys(), renamed?: Map<string, string>) =>
  removeTrust(text, 'config.toml', [...keys], renamed)

const typical = `# mine
model = "gpt-5.5" # the good one

[projects."/home/me/x"]   # trusted
trust_level = "trusted"
[hooks.state."${file}:stop:3:0"]
trusted_hash = "sha256:theirs"
`

describe('trust in hooks', () => {
  it('is named and hashed as Codex does it', () => {
    expect(key('UserPromptSubmit', 1, 2)).toBe(`${file}:user_prompt_submit:1:2`)
    // As `hooks/list` of 0.142 and 0.166 gave it for this very definition.
    expect(trustHash('Stop', 'echo é', 10)).toBe('sha256:0045cb14f95c0dd67690cf55049740ea5dc68a7e705c18312ed38bd2ffbc7e30')
  })

  it.each([
    typical,
    typical.trimEnd(),
    '',
    '\n',
    'a = 1',
    'a = 1\n\n\n',
    typical.replaceAll('\n', '\r\n'),
    '# only words\n',
    '[hooks.state]\n',
  ])('is put in and taken out again to the byte: %j', (text) => {
    const added = add(text)
    for (const [name, hash] of ours) expect(readTrust(added, '').get(name)).toEqual({ hash, enabled: true })
    expect(added.startsWith(text)).toBe(true)
    expect(add(added)).toBe(added)
    expect(remove(added)).toBe(text)
    expect(remove(text)).toBe(text)
  })

  it('leaves any file as it was', () => {
    const line = fc.constantFrom(
      'a = 1',
      '# word',
      '',
      '[t]',
      '[[list]]',
      '  [ hooks . state . "other" ]',
      'enabled = false',
      "s = '''\n[x]\n'''",
      '\t',
    )
    fc.assert(
      fc.property(fc.uniqueArray(line), fc.boolean(), (lines, ends) => {
        const text = lines.join('\n') + (ends ? '\n' : '')
        expect(remove(add(text))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps what Codex wrote behind it and between', () => {
    const added = `${add(typical)}\n[projects."/new"]\ntrust_level = "trusted"\n# end\n`
    expect(remove(added)).toBe(`${typical}\n[projects."/new"]\ntrust_level = "trusted"\n# end\n`)
    const switchedOff = add(typical).replace(/(stop:0:0"\]\n)/, '$1enabled = false\n')
    expect(readTrust(switchedOff, '').get(key('Stop'))?.enabled).toBe(false)
    expect(remove(switchedOff)).toBe(typical)
  })

  it('sets a hash that is another by now, in its place', () => {
    const stale = add(typical).replace(ours.get(key('Stop')) ?? '', 'sha256:old')
    expect(add(stale)).toBe(add(typical))
  })

  it('moves the trust in hooks that stood behind ours', () => {
    const hook = { event: 'Stop', group: 1, handler: 0, isAlone: true, command: '', timeoutSeconds: 3, found: 'other' } as const
    const known = readTrust(typical, '')
    const renamed = moveTrust(known, file, [hook])
    expect([...renamed]).toEqual([[key('Stop', 3), key('Stop', 2)]])
    expect(remove(typical, [], renamed)).toBe(typical.replace('stop:3:0', 'stop:2:0'))
    expect(moveTrust(known, file, [{ ...hook, event: 'SessionEnd' }]).size).toBe(0)
    expect(moveTrust(known, '/elsewhere/hooks.json', [hook]).size).toBe(0)
    expect([
      ...moveTrust(new Map([[key('Stop', 1, 2), { hash: '', enabled: true }]]), file, [{ ...hook, isAlone: false }]),
    ]).toEqual([[key('Stop', 1, 2), key('Stop', 1, 1)]])
  })

  it('refuses what it cannot change by lines, and what is no TOML', () => {
    const inline = `hooks = { state = { "${key('Stop')}" = { trusted_hash = "old" } } }\n`
    expect(() => add(inline)).toThrow('without disturbing')
    expect(() => remove(inline)).toThrow('without disturbing')
    expect(() => add('a = = 1')).toThrow('is not TOML')
  })
})
