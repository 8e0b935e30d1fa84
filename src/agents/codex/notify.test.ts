import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addNotify, isOurNotify, notifyWords, readNotify, removeNotify, theirNotify } from './notify.ts'

const command = { argv: ['/usr/bin/node', '/opt/offshoot/bin/hook.js'] }
const moved = { argv: ['/usr/bin/node', '/elsewhere/bin/hook.js'] }
const add = (text: string, by = command) => addNotify(text, 'config.toml', by)
const remove = (text: string) => removeNotify(text, 'config.toml')

describe('notify', () => {
  it.each([
    '',
    'a = 1',
    'model = "x"\n\n[tui]\nnotifications = true\n',
    '[tui]\nnotify = ["not this one"]\n',
    'notify = ["bell"]\n',
    'notify = ["bell"]',
    '# first\nnotify = [ "bell", # loud\n  "--now" ]   # mine\nmodel = "x"\n[a]\nb = 1\n',
    'notify = [\r\n  "bell",\r\n  "a \\"quoted\\" word",\r\n]\r\nmodel = "x"\r\n',
    "  \"notify\" = ['it''s'[0:0], 'x']\n".replace("'it''s'[0:0]", "'its'"),
    'notify = []\n',
  ])('is wrapped and given back to the byte: %j', (text) => {
    const theirs = readNotify(text, '')
    const added = add(text)
    expect(readNotify(added, '')).toEqual(notifyWords(command, theirs))
    expect(theirNotify(readNotify(added, ''), command.argv.length)).toEqual(theirs)
    expect(add(added)).toBe(added)
    expect(remove(add(added, moved))).toBe(text)
    expect(remove(added)).toBe(text)
    expect(remove(text)).toBe(text)
    expect(isOurNotify(theirs)).toBe(false)
  })

  it('refuses to put back what another program has rewritten', () => {
    const rewritten = `notify = [\n${notifyWords(command, ['bell'])
      .map((word) => `  ${JSON.stringify(word)},\n`)
      .join('')}]\n`
    expect(() => remove(rewritten)).toThrow('rewritten by another program')
  })

  describe('the program', () => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'offshoot-notify-'))
      for (const name of ['node', 'bell']) {
        // Whole at once: it runs in the background, and is read as soon as it is there.
        const [part, whole] = [join(folder, `${name}.part`), join(folder, `${name}.told`)]
        writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s|' "$@" > ${part} && mv ${part} ${whole}\n`)
        chmodSync(join(folder, name), 0o755)
      }
      writeFileSync(join(folder, 'hook.js'), '')
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    const run = (hook: string, theirs: readonly string[], env: Record<string, string> = {}) => {
      for (const name of ['node', 'bell']) rmSync(join(folder, `${name}.told`), { force: true })
      const [program = '', ...words] = notifyWords({ argv: [join(folder, 'node'), join(folder, hook)] }, theirs)
      // Output is read to its end, so what runs in the background has ended too.
      const { status, stdout, stderr } = spawnSync(program, [...words, '{"a":"b c"}'], {
        encoding: 'utf8',
        env: { ...process.env, ...env },
      })
      return { status, output: stdout + stderr }
    }
    const told = (name: string) =>
      existsSync(join(folder, `${name}.told`)) ? readFileSync(join(folder, `${name}.told`), 'utf8') : null
    const ours = async () => {
      for (let tries = 0; told('node') === null && tries < 400; tries++) await new Promise((resolve) => setTimeout(resolve, 25))
      return told('node')
    }

    it('runs theirs with the same argument', async () => {
      expect(run('hook.js', [join(folder, 'bell'), '--loud thing'])).toEqual({ status: 0, output: '' })
      expect(told('bell')).toBe('--loud thing|{"a":"b c"}|')
      expect(await ours()).toBe(`${folder}/hook.js|codex|{"a":"b c"}|`)
    })

    it('runs theirs also when offshoot is gone, and nothing where there is none', async () => {
      run('gone.js', [join(folder, 'bell')])
      expect(told('bell')).toBe('{"a":"b c"}|')
      expect(told('node')).toBeNull()
      expect(run('hook.js', [])).toEqual({ status: 0, output: '' })
      expect(await ours()).toBe(`${folder}/hook.js|codex|{"a":"b c"}|`)
    })
  })
})
