import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundMark, hookLine, quoteWord } from './hook-command.ts'

const shells = ['sh', 'dash', 'bash', 'zsh', 'fish'].filter((name) => spawnSync(name, ['-c', 'exit']).status === 0)

describe('the line an agent runs', () => {
  let folder: string
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'offshoot-hook-line-')), `it's "odd" \\ $(no) é`)
    mkdirSync(folder)
    const program = `#!/bin/sh\n{ echo "$@"; cat; } > "$(dirname "$0")/told"\necho loud; echo louder >&2; exit 2\n`
    writeFileSync(join(folder, 'node'), program)
    chmodSync(join(folder, 'node'), 0o755)
    writeFileSync(join(folder, 'hook.js'), '')
  })
  afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }))
  const line = (argv = ['node', 'hook.js'].map((name) => join(folder, name))) => hookLine({ argv }, 'claude', 'other')
  const run = (shell: string, text: string, env: Record<string, string> = {}) => {
    rmSync(join(folder, 'told'), { force: true })
    const { status, stdout, stderr } = spawnSync(shell, ['-c', text], {
      input: '{"payload":1}',
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
    const told = existsSync(join(folder, 'told')) ? readFileSync(join(folder, 'told'), 'utf8') : null
    return { status, output: stdout + stderr, told }
  }

  it.each(shells)('hands the payload on and is silent, in %s', (shell) => {
    expect(run(shell, line())).toEqual({ status: 0, output: '', told: `${join(folder, 'hook.js')} claude\n{"payload":1}` })
  })

  it.each(shells)('does nothing when its program or its Node is gone, in %s', (shell) => {
    const nothing = { status: 0, output: '', told: null }
    expect(run(shell, line([join(folder, 'node'), join(folder, 'gone.js')]))).toEqual(nothing)
    expect(run(shell, line([join(folder, 'gone'), join(folder, 'hook.js')]))).toEqual(nothing)
    expect(run(shell, line(), { OFFSHOOT_INTERNAL: '1' })).toEqual(nothing)
  })

  it('quotes any word', () => {
    const word = fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', ' ', '\n', 'a', '!', '*', 'é') })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const printed = execFileSync('sh', ['-c', `printf '%s|' ${words.map(quoteWord).join(' ')}`], { encoding: 'utf8' })
        expect(printed).toBe(words.map((each) => `${each}|`).join(''))
      }),
      { numRuns: 60 },
    )
  })

  it('is known again, and nothing else is', () => {
    expect(foundMark(line())).toBe('other')
    expect(foundMark(hookLine({ argv: ['/n', '/h'] }, 'codex', 'array'))).toBe('array')
    expect(foundMark("/bin/sh -c ': offshoot hook of-a-later-version; x' y")).toBeNull()
    expect(foundMark("/bin/sh -c ': offshoot hook later; x' y")).toBe('other')
    for (const other of ['', 'offshoot hook', "echo ': offshoot hook new;'", '/bin/sh -c true'])
      expect(foundMark(other)).toBeNull()
  })
})
