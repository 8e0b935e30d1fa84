import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCalls, quoteWord } from '../../lib/shell-words.ts'
import { baseCommand, commandWith, sessionIdIn } from './base-command.ts'

const id = '0199f3a2-1111-4222-8333-444455556666'
const other = '0199f3a2-aaaa-4bbb-8ccc-ddddeeeeffff'

describe('baseCommand', () => {
  it.each([
    [`cd x && FOO="a b" claude --model opus --resume '${id}' -c | tee log`, 'cd x && FOO="a b" claude --model opus | tee log'],
    ['claude', 'claude'],
    ['claude --session-id=abc', 'claude'],
    [`claude --session-id "${id}" --model=opus`, 'claude --model=opus'],
    ['claude -r abc -p "hi there"', 'claude -p "hi there"'],
    ['claude --resume --model opus', 'claude --model opus'],
    ['claude -r --model opus', 'claude --model opus'],
    ['claude --resume', 'claude'],
    ['claude --resume="a b" x', 'claude x'],
    ['claude "--resume=a b" x', 'claude x'],
    ['claude --continue --fork-session --resume-session-at=u1 y', 'claude y'],
    ['claude --resume-session-at u1 --resume-session-at -c y', 'claude y'],
    ['claude -c "say -c"', 'claude "say -c"'],
    ['claude -pc hello', 'claude -p hello'],
    ['claude -cp hello', 'claude -p hello'],
    ['claude -rabc -p', 'claude -p'],
    ['claude -pr abc x', 'claude -p x'],
    ['claude -p --append-system-prompt -c x', 'claude -p --append-system-prompt -c x'],
    ['claude --model -r x', 'claude --model -r x'],
    ['claude -n -c x', 'claude -n -c x'],
    ['claude -- --resume abc -c', 'claude -- --resume abc -c'],
    ['claude mcp add x -- node -c', 'claude mcp add x -- node -c'],
    ['claude --debug mcp -c', 'claude --debug mcp'],
    ['tar -c x | claude -c | grep -c y', 'tar -c x | claude | grep -c y'],
    ['bash -c "claude -c"', 'bash -c "claude -c"'],
    ['echo claude -c', 'echo claude -c'],
    ['claude -c # claude -c', 'claude # claude -c'],
    ['claude \\\n  --resume abc \\\n  --model x', 'claude \\\n  --model x'],
    ['claude --resume $ID;claude -c', 'claude;claude'],
    ['claude >log --resume abc 2>&1', 'claude >log 2>&1'],
    ['(cd "my dir"; env A=1 /opt/claude -r abc) &', '(cd "my dir"; env A=1 /opt/claude) &'],
    ['npx -y @anthropic-ai/claude-code@latest --resume abc', 'npx -y @anthropic-ai/claude-code@latest'],
    ["claude '--continue'", 'claude'],
    ['claude --resumed x --continued', 'claude --resumed x --continued'],
    ['claude --add-dir a b --resume abc c', 'claude --add-dir a b c'],
    ['ANTHROPIC_BASE_URL=http://127.0.0.1:1 claude --session-id abc', 'ANTHROPIC_BASE_URL=http://127.0.0.1:1 claude'],
  ])('%s', (command, base) => {
    expect(baseCommand(command)).toBe(base)
  })

  const anything = fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !/[\0\ud800-\udfff]/.test(text))
  const harmless: fc.Arbitrary<readonly string[]> = fc.oneof(
    anything.filter((text) => !text.startsWith('-')).map((text) => [`p${text}`]),
    anything.map((text) => ['--model', text]),
    anything.map((text) => [`--append-system-prompt=${text}`]),
    fc.constantFrom(['--verbose'], ['-p'], ['--settings', '-c'], ['--dangerously-skip-permissions']),
  )
  const ofSession: fc.Arbitrary<readonly string[]> = fc.oneof(
    anything.map((text) => ['--session-id', text]),
    anything.map((text) => [`--session-id=${text}`]),
    anything.filter((text) => !text.startsWith('-') || text === '-').map((text) => ['--resume', text]),
    anything.filter((text) => !text.startsWith('-') || text === '-').map((text) => ['-r', text]),
    anything.map((text) => [`--resume=${text}`]),
    anything.map((text) => ['--resume-session-at', text]),
    fc.constantFrom(['-c'], ['--continue'], ['--fork-session'], ['-c', '--fork-session']),
  )
  const part = fc.oneof(
    harmless.map((words) => ({ words, stays: true })),
    ofSession.map((words) => ({ words, stays: false })),
  )
  const shell = fc.constantFrom(
    (call: string) => call,
    (call: string) => `cd "a b" && A='x  y' ${call}   | tee -c log`,
    (call: string) => `${call} > out 2>&1 # -c --resume x`,
    (call: string) => `if true; then nohup ${call}; fi; echo --resume x`,
  )

  it('takes out what names a session and leaves every other byte', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), shell, (parts, around) => {
        const said = (words: readonly (readonly string[])[]) => ['claude', ...words.flat().map(quoteWord)].join(' ')
        const line = around(said(parts.map(({ words }) => words)))
        const left = around(said(parts.filter(({ stays }) => stays).map(({ words }) => words)))
        expect(baseCommand(line)).toBe(left)
        expect(baseCommand(left)).toBe(left)
        expect(sessionIdIn(left)).toBeNull()
      }),
      { numRuns: 500 },
    )
  })

  it('changes nothing where Claude Code is not called, whatever stands there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('claude'))
        expect(baseCommand(text)).toBe(text)
      }),
    )
  })
})

describe('sessionIdIn', () => {
  it.each([
    [`claude --session-id ${id}`, id],
    [`x && claude --session-id='${id}' -p`, id],
    [`claude --resume ${id}`, null],
    [`claude -r ${id} --model x`, null],
    [`claude --resume ${id} --fork-session`, null],
    [`claude --resume ${id} --fork-session --session-id ${other}`, other],
    ['claude --resume "a title"', null],
    ['claude --session-id $ID', null],
    ['claude -c', null],
    ['claude', null],
    [`echo claude --session-id ${id}`, null],
    [`claude -- --session-id ${id}`, null],
  ])('%s', (command, found) => {
    expect(sessionIdIn(command)).toBe(found)
  })
})

describe('commandWith', () => {
  it('opens what is asked for where Claude Code is called', () => {
    const command = 'cd x && claude -c --model opus "hi" | tee log'
    expect(commandWith(command, { kind: 'start', sessionId: id })).toBe(
      `cd x && claude --session-id=${id} --model opus "hi" | tee log`,
    )
    expect(commandWith(command, { kind: 'resume', sessionId: id })).toBe(
      `cd x && claude --resume=${id} --model opus "hi" | tee log`,
    )
    expect(commandWith(command, { kind: 'fork', sourceId: id, sessionId: other })).toBe(
      `cd x && claude --resume=${id} --fork-session --session-id=${other} --model opus "hi" | tee log`,
    )
  })

  it('puts nothing into a command that does not call it', () => {
    expect(() => commandWith('vim', { kind: 'start', sessionId: id })).toThrow(/not called/)
    expect(() => commandWith('claude mcp list', { kind: 'start', sessionId: id })).toThrow(/not called/)
  })

  it('an id is one word, whatever it holds', () => {
    const begin = { kind: 'resume', sessionId: "a'b; rm -rf $(x) --model" } as const
    const [call] = findCalls(commandWith('claude x', begin), (name) => name === 'claude')
    expect(call?.args.map(({ text }) => text)).toEqual([`--resume=${begin.sessionId}`, 'x'])
  })
})
