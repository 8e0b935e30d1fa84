import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStandIns, type StandIns } from './stand-ins.testkit.ts'
import { createSystemd } from './systemd.ts'
import { readArgv, renderUnit } from './systemd-unit.ts'

let stand: StandIns
beforeEach(() => {
  stand = createStandIns()
})
afterEach(() => stand.close())

const unitFile = () => join(stand.options.home, '.config/systemd/user/offshoot.service')

describe('installing', () => {
  test('writes, enables and starts; a second time changes nothing', async () => {
    const systemd = createSystemd(stand.options)
    const { steps, text, hints, file } = await systemd.install(stand.spec)
    expect(file).toBe(unitFile())
    expect(steps).toEqual([
      `wrote ${unitFile()}`,
      'systemctl --user daemon-reload',
      'systemctl --user enable --now offshoot.service',
    ])
    expect(readFileSync(unitFile(), 'utf8')).toBe(text)
    expect(statSync(unitFile()).mode & 0o777).toBe(0o644)
    expect(hints[0]).toContain('loginctl enable-linger')
    const calls = stand.calls()
    const again = await systemd.install(stand.spec)
    expect(again.steps).toEqual([expect.stringContaining('nothing to do')])
    expect(stand.calls()).toEqual(calls)
    expect(await systemd.status()).toMatchObject({
      installed: true,
      state: 'running',
      pid: 4242,
      argv: stand.spec.argv,
      problem: null,
    })
  })

  test('what has changed is written anew and the service restarted; lingering needs no hint', async () => {
    const systemd = createSystemd(stand.options)
    await systemd.install(stand.spec)
    stand.set('linger', 'yes\n')
    const { steps, hints } = await systemd.install({ ...stand.spec, env: { PATH: '/bin' } })
    expect(steps).toEqual([`wrote ${unitFile()}`, 'systemctl --user daemon-reload', 'systemctl --user restart offshoot.service'])
    expect(hints).toEqual([])
  })

  test('a service that falls at once is told as such', async () => {
    stand.set('falls')
    const failing = createSystemd(stand.options)
    await expect(failing.install(stand.spec)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('it is failed'),
    })
    expect(await failing.status()).toMatchObject({ installed: true, state: 'failed' })
    stand.unset('falls')
    await failing.install(stand.spec)
    expect((await failing.status()).state).toBe('running')
  })

  test('dry: nothing is written, nothing is called', async () => {
    const { text, steps } = await createSystemd({ ...stand.options, bootedFolder: '/nowhere' }).install(stand.spec, {
      dryRun: true,
    })
    expect(text).toContain('ExecStart="/usr/bin/env"')
    expect(steps[0]).toBe(`write ${unitFile()}`)
    expect(existsSync(unitFile())).toBe(false)
    expect(stand.calls()).toEqual([])
  })
})

describe('uninstalling', () => {
  test('stops, removes; a second time there is nothing to do', async () => {
    const systemd = createSystemd(stand.options)
    await systemd.install(stand.spec)
    expect((await systemd.uninstall({ dryRun: true })).steps).toHaveLength(3)
    expect(existsSync(unitFile())).toBe(true)
    expect((await systemd.uninstall()).steps).toEqual([
      'systemctl --user disable --now offshoot.service',
      `removed ${unitFile()}`,
      'systemctl --user daemon-reload',
    ])
    expect(existsSync(unitFile())).toBe(false)
    expect((await systemd.uninstall()).steps).toEqual([`nothing to do: there is no ${unitFile()}`])
    expect(await systemd.status()).toMatchObject({ installed: false, state: 'stopped', argv: null })
  })
})

describe('without a manager', () => {
  const noManager = { code: 'no_service_manager', exit: 3 }

  test('systemd does not run here: words, a status of its own, nothing written', async () => {
    const systemd = createSystemd({ ...stand.options, bootedFolder: '/nowhere' })
    await expect(systemd.install(stand.spec)).rejects.toMatchObject({
      ...noManager,
      hint: expect.stringContaining('offshoot serve'),
    })
    expect(existsSync(unitFile())).toBe(false)
    expect(await systemd.status()).toMatchObject({ state: 'unknown', problem: 'systemd does not run here' })
  })

  test.each([
    ['Failed to connect to bus: No medium found\n', 'XDG_RUNTIME_DIR=/run/user/501'],
    ['Failed to connect to bus: No such file or directory\n', 'XDG_RUNTIME_DIR=/run/user/501'],
    ["System has not been booted with systemd as init system (PID 1). Can't operate.\n", 'offshoot serve'],
  ])('%j', async (said, hint) => {
    stand.set('bus', said)
    const systemd = createSystemd(stand.options)
    await expect(systemd.install(stand.spec)).rejects.toMatchObject({ ...noManager, hint: expect.stringContaining(hint) })
    expect(existsSync(unitFile())).toBe(false)
  })

  test('no systemctl at all', async () => {
    const systemd = createSystemd({ ...stand.options, vars: { PATH: '/nowhere' } })
    await expect(systemd.install(stand.spec)).rejects.toMatchObject(noManager)
  })
})

describe('logs', () => {
  test('of the journal; where it has none, our own', async () => {
    const systemd = createSystemd(stand.options)
    expect(await systemd.logs(5)).toEqual([])
    mkdirSync(stand.options.logs, { recursive: true })
    writeFileSync(join(stand.options.logs, 'offshoot.log'), 'one\ntwo\nthree\n')
    expect(await systemd.logs(2)).toEqual(['two', 'three'])
    stand.set('journal', '2026-11-15T15:00:00+0000 host offshoot[1]: serves\n')
    expect(await systemd.logs(2)).toEqual(['2026-11-15T15:00:00+0000 host offshoot[1]: serves'])
  })
})

describe('the unit', () => {
  const word = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((text) => !/\p{Cc}|[\ufffe\uffff]/u.test(text) && Buffer.from(text).toString() === text)
  const nasty = fc.constantFrom(
    '%h',
    '$HOME',
    '${X}',
    '100%',
    '"',
    "'",
    '\\',
    'a b',
    '; rm -rf',
    '-x',
    'ü✓',
    '#{x}',
    '%%',
    '$$',
    '',
    ' ',
    '\\"',
  )

  test('every word comes back as it went in', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, nasty), { maxLength: 6 }), (rest) => {
        const argv = ['/usr/bin/env', '/x y/offshoot.js', ...rest] as const
        expect(readArgv(renderUnit({ ...stand.spec, argv }))).toEqual(argv)
      }),
    )
  })

  test.each(['a\nExecStart=/bin/evil', 'a\rb', 'a\0b', '\u001b[2J'])('a control character is refused: %j', (text) => {
    expect(() => renderUnit({ ...stand.spec, argv: ['/a', '/b', text] })).toThrow(/control character/)
    expect(() => renderUnit({ ...stand.spec, env: { X: text } })).toThrow(/control character/)
    expect(() => renderUnit({ ...stand.spec, workingDirectory: text })).toThrow(/control character/)
  })

  test('a name that is none, and a folder whose end would be lost', () => {
    expect(() => renderUnit({ ...stand.spec, env: { 'X=1" "Y': 'z' } })).toThrow(/no name of a variable/)
    expect(() => renderUnit({ ...stand.spec, workingDirectory: '/a\\' })).toThrow(/its end would be lost/)
  })

  test('a file that is not ours has no words of ours', () => {
    expect(readArgv('[Service]\n')).toBeNull()
  })

  // Any output counts as a failure: systemd says most of what is wrong in a warning, with exit status 0.
  if (hasVerify())
    test('systemd itself has nothing to say about it, whatever the words', () => {
      const runtime = join(stand.root, 'runtime')
      mkdirSync(runtime, { mode: 0o700 })
      const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: runtime, HOME: stand.options.home, SYSTEMD_COLORS: '0' }
      const verify = (unit: string) => {
        const file = join(stand.root, 'offshoot.service')
        writeFileSync(file, unit)
        const { stdout, stderr, status } = spawnSync('systemd-analyze', ['verify', '--user', file], { env, encoding: 'utf8' })
        return { said: `${stdout}${stderr}`, status }
      }
      const node = process.execPath
      const base = { ...stand.spec, argv: [node, ...stand.spec.argv.slice(1)] as [string, string] }
      expect(verify(renderUnit(base))).toEqual({ said: '', status: 0 })
      expect(verify(renderUnit(base).replace('Type=exec', 'Type=wrong')).said).not.toBe('') // it can tell
      fc.assert(
        fc.property(fc.array(fc.oneof(word, nasty), { maxLength: 6 }), fc.oneof(word, nasty), (rest, value) => {
          const unit = renderUnit({ ...base, argv: [node, '/x y/offshoot.js', ...rest], env: { PATH: value, B_2: value } })
          expect(verify(unit)).toEqual({ said: '', status: 0 })
        }),
        { numRuns: 40 },
      )
    })
})

function hasVerify(): boolean {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false // no systemd on this machine
  }
}
