// Turns no hook was told of, between turns that were captured.
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { AppError } from '../../src/model/error.ts'
import type { Turn } from '../../src/model/session.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { runHookProcess } from './hook-process.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  app = sandbox.app({ cwd: repo })
})
afterEach(() => sandbox.close())

const write = (text: string) => writeFileSync(join(repo, 'a'), text)
const told = (prompt: string, text: string) =>
  playTurn(
    (payload: Payload) => tellHere(sandbox.offshootHome, payload),
    session,
    prompt,
    () => write(text),
  )
const untold = (prompt: string, text: string) =>
  playTurn(
    async () => undefined,
    session,
    prompt,
    () => write(text),
  )
const list = async () => {
  const { session: found } = await app.resolve(session.id)
  return app.listTurns(found)
}
const refs = () => sandbox.git(repo, 'for-each-ref', 'refs/offshoot/')
const show = ({ prompt, number, snapshot }: Turn) => {
  if (!snapshot) return `${number} ${prompt}: not captured`
  return `${number} ${prompt}: ${snapshot.by} +${snapshot.added} -${snapshot.removed} ${sandbox.git(repo, 'cat-file', '-p', `${snapshot.tree}:a`).trim()}`
}

describe('a turn no hook was told of', () => {
  test('has what the next one found, and is the same when the table is rebuilt', async () => {
    write('0\n')
    await told('one', '1\n')
    await untold('two', '2\n')
    await told('three', '3\n')
    const turns = await list()
    expect(turns.map(show)).toEqual(['1 one: hook +1 -1 1', '2 two: late +1 -1 2', '3 three: hook +1 -1 3'])
    expect((await app.diff({ from: `${session.id}@2` })).files.map(({ path }) => path)).toEqual(['a'])
    const before = refs()
    await app.rebuildCaptures()
    expect(await list()).toEqual(turns)
    await told('four', '4\n')
    expect((await list()).map(show)).toEqual([...turns.map(show), '4 four: hook +1 -1 4'])
    expect(refs()).toContain(before.trim().split('\n')[0])
    expect(
      refs()
        .split('\n')
        .filter((line) => line.endsWith('/end')),
    ).toHaveLength(4)
  })

  test('is not made up where another one was in between, or none before it was captured', async () => {
    await untold('before there were hooks', '0\n')
    await told('one', '1\n')
    await untold('lost', 'x\n')
    await untold('two', '2\n')
    await told('three', '3\n')
    expect((await list()).map(show)).toEqual([
      '1 before there were hooks: not captured',
      '2 one: hook +1 -1 1',
      '3 lost: not captured',
      '4 two: late +0 -0 2',
      '5 three: hook +1 -1 3',
    ])
    await expect(app.diff({ from: `${session.id}@0` })).rejects.toMatchObject({ code: 'not_captured' })
    const said = async (number: number) => {
      const error = await app.planRestore({ address: `${session.id}@${number}` }).catch((caught: unknown) => caught)
      if (!(error instanceof AppError)) throw new Error('it was not refused')
      expect(error.hint).not.toContain('hooks install')
      return error.message.replace(/^.*was not captured/, '')
    }
    expect(await said(1)).toBe(': no hook recorded anything in this session before turn 2.')
    expect(await said(3)).toBe(': no hook recorded its end before turn 4 began.')
  })

  test('is said to have failed where the hook ran and logged why', async () => {
    const env = { ...process.env, HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome }
    const tell = (payload: Payload) => runHookProcess({ cwd: repo, env, payload })
    const play = (prompt: string, work: () => void) => playTurn(tell, session, prompt, work)
    await play('one', () => write('1\n'))
    const index = join(repo, '.git', 'index')
    await play('two', () => {
      renameSync(index, `${index}.kept`)
      execFileSync('mkfifo', [index])
    })
    rmSync(index)
    renameSync(`${index}.kept`, index)
    const error = await app.planRestore({ address: `${session.id}@2` }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'not_captured',
      message: expect.stringMatching(
        /was not captured: the hook failed: .*\.git\/index is not a file: git would wait for it without end\.$/,
      ),
      hint: expect.stringContaining('offshoot doctor'),
    })
  })

  test('is not what a turn found that came after a rewind', async () => {
    await told('one', '1\n')
    const lost = await untold('two', '2\n')
    await told('dead', 'dead\n')
    session.rewind(lost)
    write('by hand\n')
    await told('three', '3\n')
    const live = (await list()).filter(({ number }) => number !== null)
    expect(live.map(show).at(1)).toBe('2 two: not captured')
  })
})
