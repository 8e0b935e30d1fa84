import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCalls, quoteWord } from '../../lib/shell-words.ts'
import { baseCommand, commandWith } from './base-command.ts'

const id = '01a1dfc2-a1f2-77c1-9103-7e276dd947ea'
const other = '01a1dfc5-756d-78b3-a508-e4cfb14abf49'
const resume = { kind: 'resume', sessionId: other } as const
const fork = { kind: 'fork', sourceId: other, sessionId: 'not asked for' } as const
const start = { kind: 'start', sessionId: 'not asked for' } as const

describe('baseCommand', () => {
  it.each([
    [`codex resume ${id}`, 'codex'],
    [`codex fork '${id}' "go on"`, 'codex "go on"'],
    ['codex resume --last', 'codex'],
    ['codex resume --last "go on"', 'codex "go on"'],
    [`codex resume --all --include-non-interactive my-session -m o3`, 'codex -m o3'],
    [`codex -m o3 resume -C "a b" ${id} -- -x`, 'codex -m o3 -C "a b" -- -x'],
    [`codex resume -- ${id} "go on"`, 'codex -- "go on"'],
    [`codex resume -m ${id}`, `codex -m ${id}`],
    [`codex exec --json resume ${id} - < prompt.txt`, 'codex exec --json - < prompt.txt'],
    [`codex e fork --last`, 'codex e'],
    [`cd x && FOO="a b" codex resume ${id} 2>&1 | tee "log $(date)"`, 'cd x && FOO="a b" codex 2>&1 | tee "log $(date)"'],
    [`npx -y @openai/codex@0.166.0 resume ${id}`, 'npx -y @openai/codex@0.166.0'],
    [`codex -i a.png resume`, 'codex -i a.png resume'],
    ['codex -- resume it', 'codex -- resume it'],
    [`codex queue ${id} resume`, `codex queue ${id} resume`],
    [`echo codex resume ${id}`, `echo codex resume ${id}`],
    ['codex "resume the work"', 'codex "resume the work"'],
    [`(codex resume ${id}); codex fork ${other}`, '(codex); codex'],
  ])('%s', (command, base) => {
    expect(baseCommand(command)).toBe(base)
    expect(baseCommand(base)).toBe(base)
  })
})

describe('commandWith', () => {
  it.each([
    ['codex', `codex resume ${other}`],
    [`FOO=1 codex --model=o3 resume ${id} "go on" | cat`, `FOO=1 codex resume ${other} --model=o3 "go on" | cat`],
    ['codex exec -C dir --json "go on"', `codex exec -C dir --json resume ${other} "go on"`],
    ['codex exec -- -x', `codex exec resume ${other} -- -x`],
    ['codex exec --json -i a.png -- go', `codex exec --json resume ${other} -i a.png -- go`],
  ])('%s', (command, resumed) => {
    expect(commandWith(command, resume)).toBe(resumed)
    expect(commandWith(command, fork)).toBe(resumed.replace('resume', 'fork'))
    expect(commandWith(command, start)).toBe(baseCommand(command))
  })

  it('refuses a line that calls no Codex', () => {
    for (const command of ['', 'claude', 'codex login', 'echo codex']) {
      expect(() => commandWith(command, resume)).toThrow(expect.objectContaining({ code: 'usage' }))
    }
  })
})

describe('any command', () => {
  const flag = fc.constantFrom(['-m', 'o3'], ['--model=o3'], ['--search'], ['-C', 'a b'], ['--config=a="b"'], ['--no-alt-screen'])
  const begin = fc.constantFrom([], ['resume', id], ['fork', id], ['resume', '--last'], ['fork', '--all', 'a name'])
  const prompt = fc.string({ minLength: 1 }).filter((text) => !/[\0\r]/.test(text) && !text.startsWith('-'))
  const parts = fc.record({
    before: fc.array(flag, { maxLength: 2 }),
    begin,
    after: fc.array(flag, { maxLength: 2 }),
    prompt: fc.option(prompt, { nil: undefined }),
    exec: fc.boolean(),
    around: fc.constantFrom(['', ''], ['cd x && ', ''], ['A="b c" ', ' | tee log'], ['(', ')'], ['time ', ' 2>/dev/null']),
  })

  it('keeps all words but those that name a session, and what stands around them', () => {
    fc.assert(
      fc.property(parts, ({ before, begin: named, after, prompt: said, exec, around: [left, right] }) => {
        const own = [...before.flat(), ...after.flat(), ...(said === undefined ? [] : ['--', said])]
        const words = [...before.flat(), ...named, ...after.flat(), ...(said === undefined ? [] : ['--', said])]
        const verb = exec ? ['exec'] : []
        const line = (list: readonly string[]) => `${left}codex ${[...verb, ...list].map(quoteWord).join(' ')}${right}`
        const base = baseCommand(line(words))
        expect(callWords(base)).toEqual([...verb, ...own])
        expect([base.startsWith(left ?? ''), base.endsWith(right ?? '')]).toEqual([true, true])
        expect(baseCommand(base)).toBe(base)
        const opened = commandWith(line(words), resume)
        expect(callWords(opened).join(' ')).toContain(`resume ${other}`)
        expect(baseCommand(opened)).toBe(base)
      }),
    )
  })

  it('never throws on what is no command at all', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('codex', 'resume', ' ', "'", '"', '$(', ')', '\\', '\n', '--', id, '|', ';') }),
        (line) => {
          expect(baseCommand(baseCommand(line)).length).toBeLessThanOrEqual(line.length)
        },
      ),
    )
  })
})

function callWords(line: string): string[] {
  const [call] = findCalls(line, (name) => name === 'codex')
  return call?.args.map(({ text }) => text) ?? []
}
