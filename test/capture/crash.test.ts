// kill -9 of the hook at every step it takes: the repository stays whole, the person's files and index untouched, and the next
// turn is captured; of the turn that was cut off nothing is lost that the next event can still see.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listSnapshots } from '../../src/snapshots/read-snapshot.ts'
import { sessionRefs } from '../../src/snapshots/snapshot.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { testGit } from '../git/scratch.ts'
import { wholeMatrix } from '../real/lib/matrix.ts'
import { runHookProcess } from './hook-process.ts'
import { type HookedSession, hookedSession, type Payload } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
beforeEach(open)
afterEach(() => sandbox.close())

function open(): void {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
}

/** Every step by the whole matrix, else every second. */
const some = (steps: readonly string[]) => [...steps.entries()].filter(([at]) => wholeMatrix || at % 2 === 0)
if (!wholeMatrix) console.log('hooks killed: left out here, run by npm run test:matrix: every second step')

const write = (text: string) => writeFileSync(join(repo, 'a'), text)
const env = () => ({ PATH: process.env.PATH, HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome })
const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const cutOff = (payload: Payload, dieAt: string) => runHookProcess({ cwd: repo, env: env(), payload, dieAt })

async function contents(): Promise<Record<string, string>> {
  const all = await listSnapshots(testGit(), join(repo, '.git'))
  return Object.fromEntries(
    all.map(({ tree, meta }) => [`${meta.prompt} ${meta.moment}`, sandbox.git(repo, 'cat-file', '-p', `${tree}:a`)]),
  )
}

/** Everything of the person's that a snapshot must not touch. */
function fingerprint(): string {
  const parts = ['HEAD', 'index', 'config', 'logs/HEAD'].map((name) => readFileSync(join(repo, '.git', name), 'latin1'))
  return [...parts, sandbox.git(repo, 'for-each-ref', 'refs/heads', 'refs/tags')].join('\n')
}

async function steps(payload: Payload): Promise<string[]> {
  const { stdout } = await cutOff(payload, 'never')
  return stdout.split('\n').filter((line) => line !== '')
}

describe('a hook that is killed', () => {
  test('at any step of the end of a turn costs nothing', async () => {
    write('0')
    sandbox.git(repo, 'add', '-A')
    sandbox.git(repo, 'commit', '-qm', 'a')
    await tell(session.prompt('probe'))
    write('1')
    const all = await steps(session.stop())
    expect(all.length).toBeGreaterThan(8)
    for (const [round, dieAt] of some(all)) {
      await tell(session.prompt(`cut ${round}`))
      write(`cut ${round}`)
      const before = fingerprint()
      expect((await cutOff(session.stop(), dieAt)).signal, dieAt).toBe('SIGKILL')
      expect(fingerprint()).toBe(before)
      await tell(session.prompt(`next ${round}`))
      write(`next ${round}`)
      await tell(session.stop())
      const found = await contents()
      expect(found[`cut ${round} end`], dieAt).toBe(`cut ${round}`)
      expect(found[`next ${round} end`], dieAt).toBe(`next ${round}`)
      expect(fingerprint()).toBe(before)
    }
    expect(sandbox.git(repo, 'fsck', '--strict', '--no-dangling')).toBe('')
  }, 240_000)

  test('at any step of a prompt costs at most the state the prompt found', async () => {
    write('0')
    const probe = hookedSession(sandbox.projects, repo)
    const all = await steps(probe.prompt('probe'))
    expect(all.length).toBeGreaterThan(8)
    for (const [round, dieAt] of some(all)) {
      const cut = hookedSession(sandbox.projects, repo)
      expect((await cutOff(cut.prompt(`cut ${round}`), dieAt)).signal, dieAt).toBe('SIGKILL')
      write(`cut ${round}`)
      await tell(cut.stop())
      const all = await listSnapshots(testGit(), join(repo, '.git'), sessionRefs({ agent: 'claude', sessionId: cut.id }))
      const end = all.find(({ meta }) => meta.moment === 'end')
      expect(end && sandbox.git(repo, 'cat-file', '-p', `${end.tree}:a`), dieAt).toBe(`cut ${round}`)
    }
    expect(sandbox.git(repo, 'fsck', '--strict', '--no-dangling')).toBe('')
  }, 240_000)
})
