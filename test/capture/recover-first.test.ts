// Everything that writes clears up first what was cut off, and only then chooses what to do: the same order for every verb.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import type { RecoverReport } from '../../src/model/fork.ts'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { runCutOff } from '../fork/run-cut-off.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let app: App
let told: RecoverReport[]
beforeEach(async () => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  for (const prompt of ['first', 'second']) await turn(prompt)
  told = []
  app = sandbox.app({
    cwd: repo,
    vars: { PATH: `${makeFakeAgent(sandbox.root)}:${process.env.PATH}` },
    onRecovered: (report) => told.push(report),
  })
})
afterEach(() => sandbox.close())

const names = ['a.txt', 'b.txt']
const files = () => names.map((name) => readFileSync(join(repo, name), 'utf8'))
const turn = (prompt: string) =>
  playTurn(
    (payload) => tellHere(sandbox.offshootHome, payload),
    session,
    prompt,
    () => {
      for (const name of names) writeFileSync(join(repo, name), prompt)
    },
  )
const cutOff = async (verb: string, name: string, moment: string) => {
  const words = [verb, sandbox.home, sandbox.offshootHome, repo, name, moment]
  expect((await runCutOff(new URL('./cut-off.ts', import.meta.url), words)).signal).toBe('SIGKILL')
}

/** One file of two is restored when the process dies. */
async function restoreHalf(): Promise<void> {
  await cutOff('restore', `${session.id}@1`, 'restore safe')
  writeFileSync(join(repo, 'a.txt'), 'first')
}

const verbs: Readonly<Record<string, () => Promise<unknown>>> = {
  fork: () => app.fork({ address: session.id, at: '1', code: 'turn' }),
  start: () => app.start({ agent: 'claude' }),
  restore: async () => app.restore(await app.planRestore({ address: `${session.id}@2`, paths: ['a.txt'] })),
  gc: () => app.gc(),
  'undo of a fork by name': async () => app.undo((await app.listForks()).find(({ state }) => state === 'made')?.fork.id),
}

describe.each(Object.entries(verbs))('%s', (verb, run) => {
  test('finds the files as they were before the restore that was cut off', async () => {
    const { fork } = await app.fork({ address: session.id, at: '2', code: 'turn' })
    await restoreHalf()
    await run().catch((error) => {
      if (error.code !== 'plan_stale') throw error // of a restore that was planned from the half restored files
    })
    expect(files()).toEqual(['second', 'second'])
    expect(told).toMatchObject([{ rolledBack: [{ kind: 'restore' }], problems: [] }])
    expect(existsSync(fork.file ?? '')).toBe(!verb.startsWith('undo'))
  })

  test('takes back a fork that was cut off', async () => {
    const { fork } = await app.fork({ address: session.id, at: '2', code: 'turn' })
    await cutOff('fork', session.id, 'workspace done')
    await run()
    expect(told).toMatchObject([{ rolledBack: [{ kind: 'fork' }], problems: [] }])
    expect((await app.listForks()).filter(({ state }) => state === 'making')).toEqual([])
    expect(existsSync(fork.file ?? '')).toBe(!verb.startsWith('undo'))
  })
})

describe('undo without a name', () => {
  test('means the restore that was cut off, and leaves the fork made before it alone', async () => {
    const { fork } = await app.fork({ address: session.id, at: '2', code: 'turn' })
    await restoreHalf()
    expect(await app.undo()).toMatchObject({ kind: 'recovered', undone: true, recovered: [{ kind: 'restore' }] })
    expect(files()).toEqual(['second', 'second'])
    expect(existsSync(fork.file ?? '')).toBe(true)
    expect(await app.undo()).toMatchObject({ kind: 'fork', undone: true, fork: { id: fork.id } })
  })

  test('means the fork that was cut off, and leaves the one before it alone', async () => {
    const { fork } = await app.fork({ address: session.id, at: '2', code: 'turn' })
    await cutOff('fork', session.id, 'workspace done')
    expect(await app.undo()).toMatchObject({ kind: 'recovered', recovered: [{ kind: 'fork' }] })
    expect(existsSync(fork.file ?? '')).toBe(true)
  })

  test('means the undo that was cut off, and leaves the fork before that alone', async () => {
    const { fork } = await app.fork({ address: session.id, at: '2', code: 'turn' })
    const { fork: second } = await app.fork({ address: session.id, at: '2', code: 'turn' })
    await cutOff('undo', second.id, 'undo session removed')
    expect(await app.undo()).toMatchObject({ kind: 'recovered', recovered: [{ id: second.id }] })
    expect(existsSync(fork.file ?? '')).toBe(true)
  })

  test('takes nothing else back where the cut-off restore cannot be cleared up, and says why', async () => {
    const { fork } = await app.fork({ address: session.id, at: '2', code: 'turn' })
    await restoreHalf()
    const [record] = await app.listRestores()
    sandbox.git(repo, 'update-ref', '-d', `refs/offshoot/safety/${record?.id}`)
    writeFileSync(join(repo, '.git', 'HEAD'), 'not a head')
    await expect(app.undo()).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining(record?.id ?? '') })
    expect(existsSync(fork.file ?? '')).toBe(true)
    expect(told).toMatchObject([{ problems: [{ kind: 'restore', id: record?.id }] }])
  })
})
