// Turns of sessions whose agent has no hooks, captured by whoever watches.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdSession } from '../../src/agents/claude/registry.testkit.ts'
import type { App } from '../../src/app.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
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
  app = sandbox.app({ cwd: repo, now: Date.now })
})
afterEach(() => sandbox.close())

const write = (text: string) => writeFileSync(join(repo, 'a'), text)
const patience = { timeout: 30_000, interval: 50 }

async function find(): Promise<CatalogSession> {
  const [found] = await app.listSessions()
  if (found === undefined) throw new Error('no session')
  return found
}

test('a turn seen to begin and to end is captured, marked so; what was before is not guessed at', async () => {
  session.prompt('old')
  session.writePrompt(Date.now() - 60_000)
  session.writeAnswer('done', Date.now() - 60_000)
  const captured: string[] = []
  const problems: string[] = []
  const watching = await app.watchCaptures({
    onCaptured: (_, turn) => captured.push(turn.prompt),
    onProblem: (problem) => problems.push(problem),
  })
  write('0')
  holdSession(sandbox.home, session.id)
  session.prompt('one')
  session.writePrompt()
  await expect.poll(() => app.captureStatus(), patience).toMatchObject({ captures: 1 })
  write('1')
  session.writeAnswer()
  await expect.poll(() => captured, patience).toEqual(['one'])
  await watching.close()
  const turns = await app.listTurns(await find())
  expect(turns.map(({ snapshot }) => snapshot && [snapshot.by, snapshot.files])).toEqual([null, ['watcher', ['a']]])
  expect(problems).toEqual([])
})

test('a session with hooks is left to them', async () => {
  const captured: string[] = []
  const watching = await app.watchCaptures({ onCaptured: (_, turn) => captured.push(turn.prompt) })
  const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
  await playTurn(tell, session, 'one', () => write('1'))
  const other = hookedSession(sandbox.projects, repo)
  other.prompt('without')
  other.writePrompt()
  other.writeAnswer()
  await expect.poll(() => captured, patience).toEqual(['without'])
  await watching.close()
})

test('a fork that nobody has prompted keeps the work it carries uncommitted', async () => {
  const captured: string[] = []
  const watching = await app.watchCaptures({ onCaptured: (_, turn) => captured.push(turn.prompt) })
  session.prompt('one')
  session.writePrompt()
  session.writeAnswer()
  await expect.poll(() => captured, patience).toEqual(['one'])
  write('carried')
  const { fork } = await app.fork({ address: session.id, code: 'now', strategy: 'prefix' }, { accept: ['dirty'] })
  const workspace = fork.workspace?.path ?? ''
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, encoding: 'utf8' })
  // Whatever is told in between, a later turn elsewhere is told after it.
  session.prompt('two')
  session.writePrompt()
  session.writeAnswer()
  await expect.poll(() => captured, patience).toEqual(['one', 'two'])
  await watching.close()
  expect(git('status', '--porcelain')).toContain('a')
  expect(git('log', '--format=%s', '-1')).not.toMatch(/^turn/)
})
