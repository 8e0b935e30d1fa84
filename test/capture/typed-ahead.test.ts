// Prompts typed while a turn runs, as Claude Code 2.1.325 tells of them: under the name of the running turn when they are typed, and not
// at all when they start. Where the running turn ends without a word, nobody sees the code between the two.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import type { Turn } from '../../src/model/session.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
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

const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const make = (name: string) => session.writeCall('Write', { file_path: join(repo, name), content: `${name}\n` })
const whole = (prompt: string, name: string) => playTurn(tell, session, prompt, () => make(name))

/** A turn that ends without a word, with a prompt typed while it ran. */
async function silent(prompt: string, name: string, ahead: string) {
  await tell(session.prompt(prompt))
  session.writePrompt()
  make(name)
  await tell({ ...session.stop(), hook_event_name: 'UserPromptSubmit', prompt: ahead })
}

/** The prompt typed ahead has its turn: no hook is told of its start. */
function starts(prompt: string, name: string) {
  session.prompt(prompt)
  session.writePrompt()
  make(name)
  session.writeAnswer()
}

const list = async () => app.listTurns((await app.resolve(session.id)).session)
const show = ({ number, snapshot }: Turn) => {
  if (!snapshot) return `${number} not captured`
  const all = sandbox.git(repo, 'ls-tree', '--name-only', `${snapshot.tree}`).trim().split('\n')
  const held = all.filter((name) => /^m\d$/.test(name)).join(' ')
  return `${number} ${snapshot.by} holds ${held}, changed ${snapshot.changesUnknown ? 'unknown' : snapshot.files.join(' ')}`
}
/** How the code of a fork is come by, what is warned of, and the files of its workspace. */
const fork = async (at: { readonly at?: string; readonly before?: string }) => {
  const { fork: made, plan } = await app.fork({ address: session.id, ...at })
  const files = readdirSync(made.workspace?.path ?? '').filter((name) => /^m\d$/.test(name))
  return [plan.code.from?.kind, ...plan.warnings.map(({ code }) => code).filter((code) => code.startsWith('code_')), ...files]
}

describe('a prompt typed ahead of a turn that ended without a word', () => {
  test('has no start of its own, and the turn before is never captured with its work', async () => {
    await whole('one', 'm1')
    await silent('two', 'm2', 'three')
    starts('three', 'm3')
    await tell(session.stop())
    const turns = ['1 hook holds m1, changed m1', '2 not captured', '3 hook holds m1 m2 m3, changed unknown']
    expect((await list()).map(show)).toEqual(turns)
    const { changes, warnings } = await app.planRestore({ address: `${session.id}@1` })
    expect(changes).toEqual([])
    expect(warnings.map((each) => each.split(':')[0])).toEqual([
      'Turn 2 was not captured',
      'The start of turn 3 was not captured',
    ])
    await whole('four', 'm4')
    const after = [...turns, '4 hook holds m1 m2 m3 m4, changed m4']
    expect((await list()).map(show)).toEqual(after)
    await app.rebuildCaptures()
    expect((await list()).map(show)).toEqual(after)
    await expect(app.diff({ from: `${session.id}@3` })).rejects.toThrow(/The code of the start of .*no hook recorded its start/)
    await expect(app.planRestore({ address: `${session.id}@2` })).rejects.toThrow(/no hook recorded its end before turn 3 began/)
    const together = ['reconstructed', 'code_reconstructed', 'm1', 'm2']
    expect(await fork({ before: '3' })).toEqual(together)
    expect(await fork({ at: '2' })).toEqual(together)
    expect(await fork({ at: '3' })).toEqual(['snapshot', 'm1', 'm2', 'm3'])
    expect(await fork({ before: '4' })).toEqual(['snapshot', 'm1', 'm2', 'm3'])
  })

  test.each(['the next prompt', 'the end of the session'])('and ended so itself is captured late, by %s', async (by) => {
    await whole('one', 'm1')
    await silent('two', 'm2', 'three')
    starts('three', 'm3')
    if (by === 'the next prompt') await whole('four', 'm4')
    else await tell(session.end())
    const turns = ['1 hook holds m1, changed m1', '2 not captured', '3 late holds m1 m2 m3, changed unknown']
    expect((await list()).map(show).slice(0, 3)).toEqual(turns)
    expect(await fork({ at: '2' })).toEqual(['reconstructed', 'code_reconstructed', 'm1', 'm2'])
    expect(await fork({ before: '3' })).toEqual(['reconstructed', 'code_reconstructed', 'm1', 'm2'])
  })

  test('leaves the first the snapshot before it where a command may have changed files, with what edit tools wrote since', async () => {
    await whole('one', 'm1')
    await silent('two', 'm2', 'three')
    session.writeCall('Bash', { command: 'make' })
    starts('three', 'm3')
    await tell(session.stop())
    const options = { address: session.id, at: '2' }
    const plan = await app.planFork(options)
    expect(plan.code.from?.kind).toBe('nearest_snapshot')
    expect(plan.confirm).toEqual(['code_approximate'])
    const [warning] = plan.warnings.filter(({ code }) => code === 'code_approximate')
    expect(warning?.message).toMatch(/the snapshot of turn 1.*with 1 recorded edit.*Bash: make/)
    const { fork: made } = await app.executeFork(plan, { accept: ['code_approximate'] })
    const path = made.workspace?.path ?? ''
    expect(readdirSync(path).filter((name) => /^m\d$/.test(name))).toEqual(['m1', 'm2'])
    const before = await app.planFork({ address: session.id, before: '3' })
    expect(before.code.from).toMatchObject({ kind: 'nearest_snapshot', moment: 'start', turnNumber: 3 })
  })

  test('leaves the first a commit where one was made since the snapshot before it', async () => {
    await whole('one', 'm1')
    await silent('two', 'm2', 'three')
    session.writeCall('Bash', { command: 'make' })
    sandbox.git(repo, 'add', '.')
    sandbox.git(repo, 'commit', '-qm', 'both')
    await new Promise((resolve) => setTimeout(resolve, 1100)) // the reflog has whole seconds
    starts('three', 'm3')
    await tell(session.stop())
    const plan = await app.planFork({ address: session.id, before: '3' })
    expect(plan.code.from?.kind).toBe('nearest_commit')
    expect(plan.code.commit).toBe(sandbox.git(repo, 'rev-parse', 'HEAD').trim())
    expect(plan.warnings.find(({ code }) => code === 'code_approximate')?.message).toContain('code_at: "1"')
  })

  test('is counted, and has its words, in the commits of a workspace', async () => {
    await whole('one', 'm1')
    const { fork: made } = await app.fork({ address: session.id, at: '1' })
    const path = made.workspace?.path ?? ''
    const child = hookedSession(sandbox.projects, path, made.sessionId ?? '')
    session = child
    repo = path
    await silent('two', 'm2', 'three')
    starts('three', 'm3')
    await tell(session.stop())
    expect(sandbox.git(path, 'log', '-1', '--format=%s').trim()).toBe('turn 3: three')
  })
})

test('a prompt typed ahead of a turn that ended well begins where that one ended', async () => {
  await whole('one', 'm1')
  await silent('two', 'm2', 'three')
  session.writeAnswer()
  await tell(session.stop())
  starts('three', 'm3')
  await tell(session.stop())
  await whole('four', 'm4')
  expect((await list()).map(show)).toEqual([
    '1 hook holds m1, changed m1',
    '2 hook holds m1 m2, changed m2',
    '3 hook holds m1 m2 m3, changed m3',
    '4 hook holds m1 m2 m3 m4, changed m4',
  ])
  expect(await fork({ before: '3' })).toEqual(['snapshot', 'm1', 'm2'])
})

test('two prompts typed ahead, the first of which failed: the second has no start', async () => {
  await whole('one', 'm1')
  await silent('two', 'm2', 'three')
  session.writeAnswer()
  await tell(session.stop())
  starts('three', 'm3')
  starts('four', 'm4')
  await tell(session.stop())
  expect((await list()).map(show)).toEqual([
    '1 hook holds m1, changed m1',
    '2 hook holds m1 m2, changed m2',
    '3 not captured',
    '4 hook holds m1 m2 m3 m4, changed unknown',
  ])
  expect(await fork({ before: '4' })).toEqual(['reconstructed', 'code_reconstructed', 'm1', 'm2', 'm3'])
})
