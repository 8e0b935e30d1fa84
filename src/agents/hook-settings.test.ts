import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hookLine } from './hook-command.ts'
import { findOurHooks, type HookEntry, installHooks, uninstallHooks } from './hook-settings.ts'

const entries: HookEntry[] = ['UserPromptSubmit', 'Stop', 'SessionEnd'].map((event) => ({ event, timeoutSeconds: 10 }))
const at = (folder: string) => (found: Parameters<typeof hookLine>[2]) =>
  hookLine({ argv: ['/usr/bin/node', `${folder}/bin/hook.js`] }, 'claude', found)
const install = (text: string | null, folder = '/opt/offshoot') => installHooks(text, 'settings.json', entries, at(folder))
const uninstall = (text: string) => uninstallHooks(text, 'settings.json')

const blank = fc.stringMatching(/^[ \t\n\r]{0,4}$/)

/** A JSON text of this value, with blanks wherever JSON allows them. */
function formatted(value: unknown): fc.Arbitrary<string> {
  if (Array.isArray(value)) return bracketed('[', ']', value.map(formatted))
  if (typeof value !== 'object' || value === null) return fc.constant(JSON.stringify(value))
  const members = Object.entries(value).map(([key, each]) =>
    fc.tuple(blank, blank, formatted(each)).map(([a, b, text]) => `${JSON.stringify(key)}${a}:${b}${text}`),
  )
  return bracketed('{', '}', members)
}

function bracketed(open: string, close: string, items: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  const padded = items.map((item) => fc.tuple(blank, item, blank).map((parts) => parts.join('')))
  return fc
    .tuple(blank, fc.tuple(...padded))
    .map(([inner, texts]) => open + (texts.length === 0 ? inner : texts.join(',')) + close)
}

const theirGroup = fc.record(
  { matcher: fc.string(), hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() }), { maxLength: 2 }) },
  { requiredKeys: ['hooks'] },
)
const settings = fc.record(
  {
    model: fc.jsonValue({ maxDepth: 2 }),
    hooks: fc.record(
      {
        Stop: fc.array(theirGroup, { maxLength: 2 }),
        SessionEnd: fc.array(theirGroup, { maxLength: 2 }),
        PreToolUse: fc.array(theirGroup, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    'ключ "key"\n': fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
)
const anySettings = fc.oneof(
  settings.map((value) => JSON.stringify(value, null, 2)),
  settings.map((value) => `${JSON.stringify(value, null, '\t')}\r\n`),
  settings.map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.constantFrom('', '\ufeff'), blank, settings.chain(formatted), blank)
    .map(([mark, before, text, after]) => mark + before + text + after),
)

describe('our hooks in a settings file', () => {
  it('gives back the very bytes, however the file is written', () => {
    fc.assert(
      fc.property(anySettings, (text) => {
        const installed = install(text)
        expect(
          findOurHooks(installed, '')
            .map(({ event }) => event)
            .sort(),
        ).toEqual(entries.map(({ event }) => event).sort())
        expect(uninstall(installed)).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })

  it('leaves everything else as it is, in its order', () => {
    fc.assert(
      fc.property(settings, (value) => {
        const installed = JSON.parse(install(JSON.stringify(value))) as { hooks: Record<string, unknown[]> }
        for (const { event } of entries) {
          const groups = installed.hooks[event] ?? []
          expect(groups.slice(0, -1)).toEqual(value.hooks?.[event as 'Stop'] ?? [])
        }
        expect(Object.keys(installed).slice(0, Object.keys(value).length)).toEqual(Object.keys(value))
      }),
    )
  })

  it('is the same when installed twice, and reversible after moving', () => {
    fc.assert(
      fc.property(anySettings, (text) => {
        const once = install(text)
        expect(install(once)).toBe(once)
        const moved = install(once, "/it's \\ moved/ünï")
        expect(findOurHooks(moved, '').every(({ command }) => command.includes('moved'))).toBe(true)
        expect(findOurHooks(moved, '')).toHaveLength(entries.length)
        expect(uninstall(moved)).toBe(text)
      }),
    )
  })

  it('makes a file in the usual form, and removes it again', () => {
    const text = install(null)
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    expect(uninstall(text)).toBeNull()
  })

  it.each(['', '\n', ' \r\n', '\ufeff'])('fills a file without content (%j), and empties it again', (blankText) => {
    expect(uninstall(install(blankText))).toBe(blankText)
    expect(findOurHooks(install(blankText), '')).toHaveLength(3)
  })

  it('keeps what others have added to a file we made', () => {
    const made = JSON.parse(install(null)) as { hooks: { Stop: unknown[] } }
    made.hooks.Stop.push({ hooks: [{ type: 'command', command: 'theirs' }] })
    const left = uninstall(JSON.stringify({ ...made, model: 'opus' }, null, 4))
    expect(JSON.parse(left ?? '')).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'theirs' }] }] },
      model: 'opus',
    })
  })

  it('takes only our handler out of a group that others have joined', () => {
    const made = JSON.parse(install('{"hooks":{}}')) as { hooks: { Stop: { hooks: unknown[] }[] } }
    made.hooks.Stop[0]?.hooks.push({ type: 'command', command: 'theirs' })
    const left = uninstall(JSON.stringify(made))
    expect(JSON.parse(left ?? '')).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'theirs' }] }] } })
  })

  it('puts back what is missing', () => {
    const made = JSON.parse(install('{"a": 1}')) as { hooks: Record<string, unknown> }
    delete made.hooks.Stop
    const again = install(JSON.stringify(made))
    expect(findOurHooks(again, '').map(({ event }) => event)).toEqual(['UserPromptSubmit', 'SessionEnd', 'Stop'])
    expect(uninstall(again)).toBe('{"a":1}')
  })

  it('does nothing where nothing of ours is', () => {
    for (const text of [
      '{}',
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"offshoot"}]}]}}',
      '{"hooks":[1]}',
      '{"hooks":{"Stop":3}}',
    ])
      expect(uninstall(text)).toBe(text)
  })

  it.each([
    ['a comment', '{\n  // mine\n  "model": "x"\n}', 'is not JSON'],
    ['a trailing comma', '{"model": "x",}', 'is not JSON'],
    ['half a file', '{"model": ', 'is not JSON'],
    ['a list', '[]', 'what it holds is not an object'],
    ['hooks of another kind', '{"hooks": []}', '"hooks" is not an object'],
    ['an event of another kind', '{"hooks": {"Stop": {}}}', '"hooks.Stop" is not an array'],
  ])('refuses %s', (_what, text, message) => {
    expect(() => install(text)).toThrow(message)
  })

  it('writes in the style it finds', () => {
    expect(install('{\n\t"a": 1\n}\n')).toMatch(/^\{\n\t"a": 1,\n\t"hooks": \{\n\t\t"UserPromptSubmit": \[\n\t\t\t\{/)
    expect(install('{"a":1}')).not.toContain('\n')
    expect(install('{\r\n  "a": 1\r\n}').replaceAll('\r\n', '')).not.toContain('\n')
  })
})
