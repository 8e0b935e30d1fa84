import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { shellLine } from './shell-line.ts'

test('plain words stay plain', () => {
  const line = shellLine({ argv: ['claude', '--resume=60309e1e-84b8'], cwd: '/home/me/todo', env: {} })
  expect(line).toBe('cd /home/me/todo && claude --resume=60309e1e-84b8')
})

test('a shell gets exactly these words, whatever they hold', () => {
  const words = ["it's", 'a "b" $HOME `id` \\', '--flag', 'two\nlines', '', '*', '日本']
  const line = shellLine({ argv: ['printf', '%s\\0', ...words], cwd: tmpdir(), env: { NAME: 'a b' } })
  const printed = execFileSync('sh', ['-c', line], { encoding: 'utf8' })
  expect(printed.split('\0').slice(0, -1)).toEqual(words)
  const named = shellLine({ argv: ['sh', '-c', 'printf %s "$NAME"'], cwd: tmpdir(), env: { NAME: "a 'b" } })
  expect(execFileSync('sh', ['-c', named], { encoding: 'utf8' })).toBe("a 'b")
})

test('a line shows no control characters, and bash gets the same words', () => {
  const words = ["\u001b]52;c;cHduZWQ=\u0007it's \\ 31", 'a\u009b0b\u202ec\u0008\r\n日本', '\u001b[2Jcafe']
  const line = shellLine({ argv: ['printf', '%s\\0', ...words], cwd: tmpdir(), env: {} })
  expect(line).toMatch(/^[ -~\n日本]+$/)
  const printed = execFileSync('bash', ['-c', line], { encoding: 'utf8' })
  expect(printed.split('\0').slice(0, -1)).toEqual(words)
})
