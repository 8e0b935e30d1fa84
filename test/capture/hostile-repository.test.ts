// A repository that came as a folder, its .git included, may name programs in its configuration: none is run that the user's own git would
// not run in the same operation.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
})
afterEach(() => sandbox.close())

const marker = () => join(sandbox.root, 'was-run')
const runs = (then: string) => `touch ${marker()}; ${then}`
const turn = (prompt: string, text: string) =>
  playTurn(
    (payload) => tellHere(sandbox.offshootHome, payload),
    session,
    prompt,
    () => writeFileSync(join(repo, 'a.secret'), text),
  )

describe('a filter of the repository itself', () => {
  beforeEach(() => {
    writeFileSync(join(repo, '.gitattributes'), '*.secret filter=theirs\n')
    sandbox.git(repo, 'config', 'filter.theirs.clean', 'tr a-z b-za')
  })

  test('is not asked to write files when a turn is captured', async () => {
    sandbox.git(repo, 'config', 'filter.theirs.smudge', runs('cat'))
    await turn('first', 'abc\n')
    await turn('second', 'bcd\n')
    expect(existsSync(marker())).toBe(false)
    const app = sandbox.app({ cwd: repo })
    const { session: found } = await app.resolve(session.id)
    expect((await app.listTurns(found)).map(({ snapshot }) => snapshot?.by)).toEqual(['hook', 'hook'])
  })

  test('is asked where files are written, as checkout would', async () => {
    sandbox.git(repo, 'config', 'filter.theirs.smudge', runs('tr b-za a-z'))
    await turn('first', 'abc\n')
    const app = sandbox.app({ cwd: repo })
    await app.fork({ address: session.id, at: '1', code: 'turn' })
    expect(existsSync(marker())).toBe(true)
  })
})

describe('a remote that lacking objects would be fetched from', () => {
  const commitAndLose = (address: string) => {
    writeFileSync(join(repo, 'lost.txt'), 'content\n')
    sandbox.git(repo, 'add', '.')
    sandbox.git(repo, 'commit', '-qm', 'with a file')
    const blob = sandbox.git(repo, 'rev-parse', 'HEAD:lost.txt').trim()
    sandbox.git(repo, 'config', 'remote.origin.url', address)
    sandbox.git(repo, 'config', 'remote.origin.promisor', 'true')
    sandbox.git(repo, 'config', 'protocol.ext.allow', 'always')
    sandbox.git(repo, 'config', 'remote.origin.partialclonefilter', 'blob:none')
    sandbox.git(repo, 'config', 'extensions.partialClone', 'origin')
    sandbox.git(repo, 'config', 'core.repositoryformatversion', '1')
    const place = join(repo, '.git', 'objects', blob.slice(0, 2), blob.slice(2))
    sandbox.git(repo, 'update-index', '--assume-unchanged', 'lost.txt')
    return place
  }

  test.each([
    ['ext', () => `ext::sh -c touch% ${marker()}`],
    ['ssh', () => 'ssh://host.invalid/repo'],
  ])('is not spoken to (%s)', async (_kind, address) => {
    const place = commitAndLose(address())
    sandbox.git(repo, 'config', 'core.sshCommand', `sh -c 'touch ${marker()}'`)
    mkdirSync(join(sandbox.root, 'away'))
    renameSync(place, join(sandbox.root, 'away', 'blob'))
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const app = sandbox.app({ cwd: repo })
    const forked = app.fork({ address: source.id, at: '2', code: 'head' }, { accept: ['code_now'] })
    await forked.catch((error: { code?: string }) => expect(error.code).not.toBeUndefined())
    expect(existsSync(marker())).toBe(false)
  })

  test('nor when its history lacks a commit and its sessions are listed', async () => {
    commitAndLose('ssh://host.invalid/repo')
    sandbox.git(repo, 'config', 'core.sshCommand', `sh -c 'touch ${marker()}'`)
    sandbox.git(repo, 'config', 'core.fsmonitor', `touch ${marker()}`)
    const first = sandbox.git(repo, 'rev-list', '--max-parents=0', 'HEAD').trim()
    renameSync(join(repo, '.git', 'objects', first.slice(0, 2), first.slice(2)), join(sandbox.root, 'commit'))
    rmSync(marker(), { force: true })
    sandbox.session({ cwd: repo, turns: 2 })
    expect(await sandbox.app({ cwd: repo }).listSessions()).toHaveLength(1)
    expect(existsSync(marker())).toBe(false)
  })
})
