// The suite every terminal with panes must pass. It knows the contract of terminal.ts and nothing of any terminal: what arrives
// in a pane is told by a small program that runs in it.
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import type { OpenPane, PaneRef, Terminal } from './terminal.ts'

export interface TerminalSurroundings {
  /** A folder of this run's own; removed afterwards. */
  readonly root: string
  /** Where job folders are to be made. */
  readonly folder: string
}

export interface TerminalFixture {
  /** As a new process would make it: called again, it must find the panes of before. */
  create(surroundings: TerminalSurroundings): Terminal
  /** Of the environment given to `create`. */
  readonly path: string
  /** A variable of the environment given to `create`. */
  readonly inherited: { readonly name: string; readonly value: string }
  /** How many random command lines are tried. */
  readonly fuzzRuns: number
  dispose(surroundings: TerminalSurroundings): void
}

/** Says what it was started with, asks for bracketed paste, and writes down every byte it is sent. */
const probeProgram = `
import { appendFileSync, writeFileSync } from 'node:fs'
const [folder, ...words] = process.argv.slice(2)
process.stdin.setRawMode(true)
process.stdin.on('data', (bytes) => {
  appendFileSync(folder + '/input', bytes)
  if (bytes.includes(4)) process.exit(Number(words[0] ?? 0))
})
process.on('SIGHUP', () => process.kill(process.pid, 'SIGKILL')) // Node itself aborts on a raw terminal that is gone
process.stdout.write('\\x1b]2;probe title\\x07\\x1b[?2004hREADY\\r\\n')
writeFileSync(folder + '/part', JSON.stringify({ words, cwd: process.cwd(), env: process.env, pid: process.pid }))
const { renameSync } = await import('node:fs')
renameSync(folder + '/part', folder + '/told.json')
`

interface Told {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly pid: number
}

const oddities = [
  'plain',
  '-rf',
  '--',
  ';',
  'ends in;',
  'e\\;',
  '#(touch x)',
  '##{pid}#{pane_id}',
  '$HOME `touch x` $(touch x)',
  `it's "quoted" \\`,
  '%1 =x {last} !',
  '~ * ? [a] {b,c} | & < > ()',
  'tab\there',
  'two\nlines',
  '\u001b[201~\u001b]0;x\u0007',
  '🌱 Ærø 日本語',
  '$$session$$',
]

export function runTerminalConformance(fixture: TerminalFixture): void {
  let at: TerminalSurroundings
  let terminal: Terminal
  beforeAll(() => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-pane-')))
    at = { root, folder: join(root, 'jobs') }
    writeFileSync(join(root, 'probe.mjs'), probeProgram)
    terminal = fixture.create(at)
  })
  afterAll(() => {
    fixture.dispose(at)
    return removeFolder(at.root)
  })

  const newTag = () => randomBytes(8).toString('hex')
  const request = (pane: Partial<OpenPane>): OpenPane => ({
    argv: [process.execPath, '-e', ''],
    cwd: at.root,
    env: {},
    unset: [],
    title: 'a pane',
    tag: newTag(),
    ...pane,
  })

  async function openProbe(words: readonly string[] = [], pane: Partial<OpenPane> = {}) {
    const notes = mkdtempSync(join(at.root, 'probe-'))
    const ref = await terminal.open(request({ argv: [process.execPath, join(at.root, 'probe.mjs'), notes, ...words], ...pane }))
    const told = await until('the probe to speak', () => existsSync(join(notes, 'told.json')) && join(notes, 'told.json'))
    return {
      ref,
      told: JSON.parse(readFileSync(told, 'utf8')) as Told,
      input: () => (existsSync(join(notes, 'input')) ? readFileSync(join(notes, 'input'), 'utf8') : ''),
    }
  }
  const waitForEnd = (ref: PaneRef) =>
    until('the pane to end', async () => [await terminal.status(ref)].find(({ state }) => state !== 'running'))
  const codeOf = async (promise: Promise<unknown>) => {
    const error = await promise.then(
      () => null,
      (caught: unknown) => caught,
    )
    return error instanceof AppError ? error.code : error
  }

  it('can be used', async () => {
    expect(await terminal.probe()).toMatchObject({ installed: true, problem: null })
  })

  describe('what a pane is started with', () => {
    it('hands over every word to the byte', async () => {
      const { told, ref } = await openProbe(oddities)
      expect(told.words).toEqual(oddities)
      await terminal.close(ref)
    })
    it('hands over any words', async () => {
      const words = fc.array(
        fc.string({ unit: 'binary' }).map((word) => word.replaceAll('\0', '')),
        { minLength: 1, maxLength: 30 },
      )
      const special = fc.array(fc.string({ unit: fc.constantFrom(...';#\'"\\$`-%{}()~!* \n\t') }), { maxLength: 20 })
      await fc.assert(
        fc.asyncProperty(words, special, async (some, others) => {
          const { told, ref } = await openProbe([...some, ...others])
          expect(told.words).toEqual([...some, ...others])
          await terminal.close(ref)
        }),
        { numRuns: fixture.fuzzRuns },
      )
    })
    it('takes any title and any folder, and runs nothing of them', async () => {
      const check = async (oddity: string) => {
        const cwd = join(at.root, `in ${oddity.replaceAll('/', '')}`)
        mkdirSync(cwd)
        const { told, ref } = await openProbe([], { cwd, title: oddity })
        expect(told.cwd).toBe(cwd)
        expect((await terminal.status(ref)).state).toBe('running')
        await terminal.close(ref)
        expect(readdirSync(cwd)).toEqual([])
      }
      await Promise.all(oddities.map(check)) // all at once: that must work too
      expect(existsSync(join(at.root, 'x'))).toBe(false)
      expect(existsSync('x')).toBe(false)
    })
    it('inherits our environment, with what is added and without what is unset', async () => {
      const { inherited, path } = fixture
      const first = await openProbe([], { env: { ODD: oddities.join('\n'), EMPTY: '', PATH: `/nowhere:${path}` } })
      expect(first.told.env).toMatchObject({
        [inherited.name]: inherited.value,
        ODD: oddities.join('\n'),
        EMPTY: '',
        PATH: `/nowhere:${path}`,
      })
      const second = await openProbe([], { unset: [inherited.name, 'NOT_THERE'] })
      expect(second.told.env).not.toHaveProperty(inherited.name)
      expect(second.told.env).not.toHaveProperty('ODD')
      expect(second.told.env.PATH).toBe(path)
      expect(second.told.env.TERM).toMatch(/./)
      await terminal.close(first.ref)
      await terminal.close(second.ref)
    })
    it('keeps what is secret in files of the person alone, and there only until it is read', async () => {
      const { ref } = await openProbe(['a prompt'], { env: { API_KEY: 'sesame-open' } })
      expect(statSync(ref.job).mode & 0o777).toBe(0o700)
      for (const name of readdirSync(ref.job)) {
        expect(statSync(join(ref.job, name)).mode & 0o077, name).toBe(0)
        expect(readFileSync(join(ref.job, name), 'utf8'), name).not.toMatch(/sesame-open|a prompt/)
      }
      await terminal.close(ref)
    })
    it('says so when there is no such program or folder, and leaves nothing behind', async () => {
      const tag = newTag()
      expect(await codeOf(terminal.open(request({ tag, cwd: join(at.root, 'nowhere') })))).toBe('unreadable')
      expect(await codeOf(terminal.open(request({ tag, cwd: join(at.root, 'probe.mjs') })))).toBe('unreadable')
      expect(await codeOf(terminal.open(request({ tag, argv: ['offshoot-no-such-program'] })))).toBe('tool_missing')
      expect(await codeOf(terminal.open(request({ tag, argv: [join(at.root, 'probe.mjs')] })))).toBe('tool_missing')
      expect(await codeOf(terminal.open(request({ tag, argv: [] })))).toBe('tool_missing')
      expect(await codeOf(terminal.open(request({ tag, argv: ['env', 'a\0b'] })))).toBe('usage')
      expect(await codeOf(terminal.open(request({ tag, env: { 'A=B': 'x' } })))).toBe('usage')
      expect(existsSync(join(at.folder, tag))).toBe(false)
    })
    it('starts what only its own PATH finds', async () => {
      const folder = mkdtempSync(join(at.root, 'bin-'))
      writeFileSync(join(folder, 'only-there'), '#!/bin/sh\nexit 7\n', { mode: 0o755 })
      const ref = await terminal.open(request({ argv: ['only-there'], env: { PATH: `${folder}:${fixture.path}` } }))
      expect(await waitForEnd(ref)).toMatchObject({ state: 'exited', exitStatus: 7, signal: null })
      await terminal.close(ref)
    })
  })

  describe('what becomes of it', () => {
    it('tells the pid of the agent itself while it runs', async () => {
      const { ref, told } = await openProbe()
      expect(await terminal.status(ref)).toMatchObject({
        state: 'running',
        pid: told.pid,
        exitStatus: null,
        signal: null,
        inputBlocked: false,
      })
      await terminal.close(ref)
    })
    it('tells the exit status, also of one that ends at once', async () => {
      for (const status of [0, 3]) {
        const ref = await terminal.open(request({ argv: [process.execPath, '-e', `process.exit(${status})`] }))
        expect(await waitForEnd(ref)).toMatchObject({ state: 'exited', exitStatus: status, signal: null })
        await terminal.close(ref)
      }
    })
    it('tells the signal that ended it', async () => {
      const { ref, told } = await openProbe()
      process.kill(told.pid, 'SIGKILL')
      expect(await waitForEnd(ref)).toMatchObject({ state: 'exited', exitStatus: null, signal: 'SIGKILL' })
      await terminal.close(ref)
    })
    it('is found again by who knows only its reference', async () => {
      const { ref, input } = await openProbe()
      const [later, same] = [fixture.create(at), JSON.parse(JSON.stringify(ref)) as PaneRef]
      expect((await later.status(same)).state).toBe('running')
      await later.paste(same, 'still there')
      await until('the text', () => input().includes('still there'))
      await later.close(same)
      expect((await terminal.status(ref)).state).toBe('exited')
    })
    it('ends the agent when it is closed, and can be closed again', async () => {
      const { ref, told } = await openProbe()
      await terminal.close(ref)
      await until('the agent to end', () => !isAlive(told.pid))
      expect(await waitForEnd(ref)).toMatchObject({ state: 'exited' })
      await terminal.close(ref)
    })
  })

  describe('what is sent to it', () => {
    const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`
    /** As typed by a person's terminal: a paste's line ends may be CR. */
    const normal = (text: string) => text.replaceAll('\r', '\n')

    it('arrives as one paste, without being submitted', async () => {
      const { ref, input } = await openProbe()
      const text = oddities.filter((oddity) => !oddity.includes('\u001b')).join('\n')
      await terminal.paste(ref, text)
      await until('the paste', () => normal(input()) === pasted(text))
      await terminal.close(ref)
    })
    it('cannot break out of the paste', async () => {
      const { ref, input } = await openProbe()
      await terminal.paste(ref, 'one\u001b[201~two\u0003\u0004\u009b201~three\r\nfour\u007f')
      await until('the paste', () => normal(input()) === pasted('one[201~two201~three\nfour'))
      await terminal.close(ref)
    })
    it('arrives whole when it is 100 KB long', async () => {
      const { ref, input } = await openProbe()
      const text = Array.from({ length: 2000 }, (_, line) => `${line} ${'🌱é'.repeat(10)}`).join('\n')
      expect(Buffer.byteLength(text)).toBeGreaterThan(100_000)
      await terminal.paste(ref, text)
      await until('the paste', () => input().endsWith('\u001b[201~'))
      expect(normal(input()) === pasted(text)).toBe(true)
      await terminal.close(ref)
    })
    it('is refused when it is far too long, and nothing is sent for nothing', async () => {
      const { ref, input } = await openProbe()
      expect(await codeOf(terminal.paste(ref, 'x'.repeat(1_100_000)))).toBe('too_large')
      await terminal.paste(ref, '')
      await terminal.paste(ref, '\u001b')
      await terminal.key(ref, 'ctrl-u')
      await until('the key', () => input() !== '')
      expect(input()).toBe('\u0015')
      await terminal.close(ref)
    })
    it('can be a key', async () => {
      const { ref, input } = await openProbe()
      for (const key of ['enter', 'ctrl-c', 'ctrl-u', 'escape'] as const) await terminal.key(ref, key)
      await until('the keys', () => input() === '\r\u0003\u0015\u001b')
      await terminal.close(ref)
    })
  })

  it('shows the screen and the title', async () => {
    const { ref } = await openProbe()
    const screen = await until('the screen', async () => [await terminal.read(ref)].find(({ lines }) => lines.includes('READY')))
    expect(screen.title).toBe('probe title')
    await terminal.close(ref)
  })

  describe('a pane that is not there', () => {
    it('is refused when it was closed', async () => {
      const { ref } = await openProbe()
      await terminal.close(ref)
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(terminal.paste(ref, 'x')))
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(terminal.key(ref, 'enter')))
      expect(await codeOf(terminal.read(ref))).toBe('pane_gone')
      expect(await codeOf(terminal.focus(ref))).toBe('pane_gone')
    })
    it('is gone when there never was such a one', async () => {
      const { ref } = await openProbe()
      const job = join(at.root, 'no-job')
      const others = ['%7', '%99999', '99999', 'no such id', '%0 ; kill-server', ''].map((id) => ({ ...ref, id, job }))
      for (const other of others) {
        expect((await terminal.status(other)).state, other.id).toBe('gone')
        expect(await codeOf(terminal.paste(other, 'x')), other.id).toBe('pane_gone')
        expect(await codeOf(terminal.key(other, 'enter'))).toBe('pane_gone')
        expect(await codeOf(terminal.read(other))).toBe('pane_gone')
        await terminal.close(other)
      }
      expect((await terminal.status(ref)).state).toBe('running')
      await terminal.close(ref)
    })
    it('is refused when what ran in it has ended, and the others live on', async () => {
      const [ended, other] = [await openProbe(['3']), await openProbe()]
      await terminal.paste(ended.ref, 'bye')
      process.kill(ended.told.pid, 'SIGKILL')
      await waitForEnd(ended.ref)
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(terminal.paste(ended.ref, 'x')))
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(terminal.key(ended.ref, 'enter')))
      expect((await terminal.status(other.ref)).state).toBe('running')
      await terminal.close(ended.ref)
      await terminal.close(other.ref)
    })
  })
}

/** Waits for what will be; only what hangs runs into the limit. */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, false | undefined | null | ''>> {
  for (let tries = 0; tries < 800; tries += 1) {
    const seen = await look()
    if (seen) return seen as Exclude<T, false | undefined | null | ''>
    await sleep(25)
  }
  throw new Error(`Waited in vain for ${what}`)
}

/** What has just been ended may still write its last words there. */
export async function removeFolder(folder: string): Promise<void> {
  await until(`${folder} to be removed`, () => {
    try {
      rmSync(folder, { recursive: true, force: true })
      return true
    } catch (error) {
      if (fileErrorCode(error) === 'ENOTEMPTY') return false
      throw error
    }
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // no such process
  }
}
