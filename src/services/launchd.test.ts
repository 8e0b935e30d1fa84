import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'plist'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLaunchd } from './launchd.ts'
import { readPlist, renderPlist } from './launchd-plist.ts'
import { createStandIns, type StandIns } from './stand-ins.testkit.ts'

let stand: StandIns
beforeEach(() => {
  stand = createStandIns()
})
afterEach(() => stand.close())

const file = () => join(stand.options.home, 'Library/LaunchAgents/offshoot.server.plist')

describe('installing', () => {
  test('writes and loads; a second time changes nothing', async () => {
    const launchd = createLaunchd(stand.options)
    const { steps, text } = await launchd.install(stand.spec)
    expect(steps).toEqual([`wrote ${file()}`, `launchctl bootstrap gui/501 ${file()}`])
    expect(readFileSync(file(), 'utf8')).toBe(text)
    expect(statSync(file()).mode & 0o777).toBe(0o644)
    expect(existsSync(stand.options.logs)).toBe(true) // launchd does not make the folder of its log
    expect((await launchd.install(stand.spec)).steps).toEqual([expect.stringContaining('nothing to do')])
    expect(stand.calls()).toEqual(['bootstrap gui/501'])
    expect(await launchd.status()).toMatchObject({ installed: true, state: 'running', pid: 777, argv: stand.spec.argv })
  })

  test('what has changed is unloaded first, however long that takes, and loaded anew', async () => {
    const launchd = createLaunchd(stand.options)
    await launchd.install(stand.spec)
    stand.set('slowness', '9')
    const { steps } = await launchd.install({ ...stand.spec, env: { PATH: '/bin' } })
    expect(steps).toEqual([
      `wrote ${file()}`,
      'launchctl bootout gui/501/offshoot.server',
      `launchctl bootstrap gui/501 ${file()}`,
    ])
  })

  test('one that was disabled is enabled first: else all launchd says is 5', async () => {
    const launchd = createLaunchd(stand.options)
    await launchd.install(stand.spec)
    await launchd.uninstall()
    stand.set('disabled')
    stand.unset('calls')
    await launchd.install(stand.spec)
    expect(stand.calls()).toEqual(['bootstrap gui/501'])
  })

  test('one that is loaded but does not run is started', async () => {
    const launchd = createLaunchd(stand.options)
    await launchd.install(stand.spec)
    stand.set('stopped', '70')
    expect(await launchd.status()).toMatchObject({ state: 'failed', pid: null, lastExit: 70 })
    expect((await launchd.install(stand.spec)).steps).toEqual(['launchctl kickstart gui/501/offshoot.server'])
    expect((await launchd.status()).state).toBe('running')
  })

  test('without a login at the screen: the background session', async () => {
    stand.set('headless')
    const launchd = createLaunchd(stand.options)
    const { steps, hints, text } = await launchd.install(stand.spec)
    expect(steps.at(-1)).toBe(`launchctl bootstrap user/501 ${file()}`)
    expect(parse(text)).toMatchObject({ LimitLoadToSessionType: 'Background' })
    expect(hints[0]).toContain('no login at the screen')
    stand.unset('headless')
    expect((await launchd.install(stand.spec)).steps).toContain('launchctl bootout user/501/offshoot.server')
  })

  test('a login that takes no services at all: words and a status of their own', async () => {
    stand.set('nodomain')
    await expect(createLaunchd(stand.options).install(stand.spec)).rejects.toMatchObject({ code: 'no_service_manager', exit: 3 })
    await expect(createLaunchd({ ...stand.options, vars: { PATH: '/nowhere' } }).install(stand.spec)).rejects.toMatchObject({
      code: 'no_service_manager',
    })
  })

  test('a "5" that does not pass is an error in the end', async () => {
    const launchd = createLaunchd(stand.options)
    stand.set('loaded', 'system/offshoot.server')
    await expect(launchd.install(stand.spec)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('bootstrap'),
    })
  })

  test('a log that grew large is begun anew', async () => {
    mkdirSync(stand.options.logs, { recursive: true })
    const log = join(stand.options.logs, 'service.log')
    writeFileSync(log, 'x'.repeat(6 * 1024 * 1024))
    await createLaunchd(stand.options).install(stand.spec)
    expect(statSync(log).size).toBe(0)
  })

  test('dry: nothing is written, nothing is called', async () => {
    const { steps, text } = await createLaunchd(stand.options).install(stand.spec, { dryRun: true })
    expect(steps).toHaveLength(2)
    expect(readPlist(text)).toEqual(stand.spec.argv)
    expect([existsSync(file()), stand.calls()]).toEqual([false, []])
  })
})

test('uninstalling: unloaded, removed; a second time there is nothing to do', async () => {
  const launchd = createLaunchd(stand.options)
  await launchd.install(stand.spec)
  expect((await launchd.uninstall()).steps).toEqual(['launchctl bootout gui/501/offshoot.server', `removed ${file()}`])
  expect((await launchd.uninstall()).steps).toEqual([`nothing to do: there is no ${file()}`])
  expect(await launchd.status()).toMatchObject({ installed: false, state: 'stopped' })
  mkdirSync(dirname(file()), { recursive: true })
  writeFileSync(file(), 'not ours')
  expect(await launchd.status()).toMatchObject({ installed: true, argv: null })
})

test('the last lines of its log', async () => {
  mkdirSync(stand.options.logs, { recursive: true })
  writeFileSync(join(stand.options.logs, 'service.log'), Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n'))
  expect(await createLaunchd(stand.options).logs(2)).toEqual(['line 298', 'line 299'])
})

describe('the property list', () => {
  test('whatever the words are, they come back', () => {
    const word = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((text) => !/\p{Cc}|[\ufffe\uffff]/u.test(text) && Buffer.from(text).toString() === text)
    const nasty = fc.constantFrom('<string>', '&amp;', ']]>', '<!--', '$HOME', '~', '"', "'", ' a ', '')
    fc.assert(
      fc.property(fc.array(fc.oneof(word, nasty), { maxLength: 5 }), fc.oneof(word, nasty), (rest, value) => {
        const spec = { ...stand.spec, argv: ['/node', '/x.js', ...rest] as [string, string], env: { PATH: value } }
        const text = renderPlist(spec, '/log', 'Aqua')
        expect(readPlist(text)).toEqual(spec.argv)
        expect(parse(text)).toMatchObject({ EnvironmentVariables: { PATH: value } })
      }),
    )
  })

  test('as launchd.plist(5) has it', () => {
    expect(parse(renderPlist(stand.spec, '/logs/service.log', 'Aqua'))).toEqual({
      Label: 'offshoot.server',
      ProgramArguments: [...stand.spec.argv],
      EnvironmentVariables: { ...stand.spec.env },
      WorkingDirectory: stand.spec.workingDirectory,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ProcessType: 'Interactive',
      ExitTimeOut: 20,
      AbandonProcessGroup: true,
      StandardOutPath: '/logs/service.log',
      StandardErrorPath: '/logs/service.log',
    })
  })

  test('control characters are refused', () => {
    expect(() => renderPlist({ ...stand.spec, argv: ['/a', '/b', 'x\u0001'] }, '/log', 'Aqua')).toThrow(/control character/)
  })
})
