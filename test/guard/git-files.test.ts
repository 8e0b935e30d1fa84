// What `.git` files inside an open project open, asked over HTTP and MCP: nothing that the other repository does not confirm.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/open.ts'
import { structured } from '../mcp/clients.ts'
import { createPlace } from '../mcp/place.ts'

let place: ReturnType<typeof createPlace>
beforeEach(() => {
  place = createPlace()
})
afterEach(() => place.end())

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'protocol.file.allow=always', ...args], { stdio: 'pipe' })

/** Ids of the sessions that each surface lists and finds, and the statuses of reading `id` by HTTP. */
async function look(id: string) {
  const client = await place.http()
  const listed = structured<{ sessions: { id: string }[] }>(await client.call('list_sessions'))
  const found = structured<{ results: { session_id: string }[] }>(await client.call('search_sessions', { query: 'kingfisher' }))
  const read = await client.call('read_session', { session: id })
  const sessions = (await (await place.ask('/session')).json()) as { sessions: { id: string }[] }
  return {
    mcp: listed.sessions.map((each) => each.id).sort(),
    search: found.results.map((each) => each.session_id).sort(),
    read: read.isError !== true,
    http: sessions.sessions.map((each) => each.id).sort(),
    message: (await place.ask(`/session/${id}/message`)).ok,
  }
}

const seen = (...ids: string[]) => ({ mcp: [...ids].sort(), search: [...ids].sort(), http: [...ids].sort() })

describe('a forged `.git` in a subfolder of an open project does not open the repository it names', () => {
  const forgeries: [name: string, forge: (folder: string, other: string) => void][] = [
    ['a file that names its git folder', (folder, other) => writeFileSync(join(folder, '.git'), `gitdir: ${other}/.git\n`)],
    ['a link to its git folder', (folder, other) => symlinkSync(join(other, '.git'), join(folder, '.git'))],
    [
      'a file that names one of its linked work trees',
      (folder, other) => {
        git(other, 'worktree', 'add', '-q', `${other}-tree`)
        writeFileSync(join(folder, '.git'), `gitdir: ${other}/.git/worktrees/other-tree\n`)
      },
    ],
    [
      'a git folder of its own that shares the objects of the other',
      (folder, other) => {
        const gitDir = join(folder, 'g')
        mkdirSync(gitDir)
        writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/master\n')
        writeFileSync(join(gitDir, 'commondir'), `${other}/.git\n`)
        writeFileSync(join(gitDir, 'gitdir'), `${folder}/.git\n`)
        writeFileSync(join(folder, '.git'), `gitdir: ${gitDir}\n`)
      },
    ],
  ]
  test.each(forgeries)('%s', async (_, forge) => {
    const other = place.repository('other')
    const folder = join(place.repo, 'sub')
    mkdirSync(folder)
    forge(folder, other)
    const bait = place.session(['kingfisher bait'], { cwd: folder })
    // The bait is read first, so that the catalogue meets the other repository through the forged file.
    await place.app().refresh()
    const secret = place.session(['kingfisher secret'], { cwd: other })
    expect(await look(secret.id)).toEqual({ ...seen(bait.id), read: false, message: false })
    rmSync(join(folder, '.git'), { recursive: true })
    expect(await look(secret.id)).toEqual({ ...seen(bait.id), read: false, message: false })
  })

  test('a file that names a repository made with --separate-git-dir', async () => {
    mkdirSync(join(place.root, 'store'))
    const other = join(place.root, 'other')
    git(place.root, 'init', '-q', `--separate-git-dir=${place.root}/store/other.git`, other)
    git(other, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'x')
    git(other, 'worktree', 'add', '-q', `${other}-tree`)
    const folder = join(place.repo, 'sub')
    mkdirSync(folder)
    writeFileSync(join(folder, '.git'), readFileSync(join(other, '.git')))
    const bait = place.session(['kingfisher bait'], { cwd: folder })
    await place.app().refresh()
    const secrets = [other, `${other}-tree`].map((cwd) => place.session(['kingfisher secret'], { cwd }))
    for (const { id } of secrets) expect(await look(id)).toEqual({ ...seen(bait.id), read: false, message: false })
  })

  test('a file that names such a repository, in a project that is not a repository itself', async () => {
    mkdirSync(join(place.root, 'store'))
    const other = join(place.root, 'other')
    git(place.root, 'init', '-q', `--separate-git-dir=${place.root}/store/other.git`, other)
    git(other, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'x')
    git(other, 'worktree', 'add', '-q', `${other}-tree`)
    rmSync(join(place.repo, '.git'), { recursive: true })
    const folder = join(place.repo, 'sub')
    mkdirSync(folder)
    writeFileSync(join(folder, '.git'), readFileSync(join(other, '.git')))
    const bait = place.session(['kingfisher bait'], { cwd: folder })
    await place.app().refresh()
    const secrets = [other, `${other}-tree`].map((cwd) => place.session(['kingfisher secret'], { cwd }))
    for (const { id } of secrets) expect(await look(id)).toEqual({ ...seen(bait.id), read: false, message: false })
    rmSync(folder, { recursive: true })
    for (const { id } of secrets) expect(await look(id)).toEqual({ ...seen(bait.id), read: false, message: false })
  })

  test.each(['other/.git', 'other/.git/worktrees/other-tree', 'gone/.git/worktrees/x'])(
    'a file at the top of the opened folder that names %s',
    async (named) => {
      const other = place.repository('other')
      git(other, 'worktree', 'add', '-q', `${other}-tree`)
      const gone = place.repository('gone')
      const secrets = [other, `${other}-tree`, gone].map((cwd) => place.session(['kingfisher secret'], { cwd }))
      await place.app().refresh()
      rmSync(gone, { recursive: true })
      rmSync(join(place.repo, '.git'), { recursive: true })
      writeFileSync(join(place.repo, '.git'), `gitdir: ${join(place.root, named)}\n`)
      const own = place.session(['kingfisher'], { cwd: place.repo })
      for (const { id } of secrets) expect(await look(id)).toEqual({ ...seen(own.id), read: false, message: false })
    },
  )

  test('a clone of a repository that is gone, put into the project, does not take over its sessions', async () => {
    const other = place.repository('other')
    const secret = place.session(['kingfisher secret'], { cwd: other })
    await place.app().refresh()
    const clone = join(place.repo, 'other')
    git(place.root, 'clone', '-q', other, clone)
    rmSync(other, { recursive: true })
    const bait = place.session(['kingfisher bait'], { cwd: clone })
    expect(await look(secret.id)).toEqual({ ...seen(bait.id), read: false, message: false })
  })
})

test('a refresh corrects what an older version stored because of a forged `.git` file', async () => {
  const other = place.repository('other')
  const folder = join(place.repo, 'sub')
  mkdirSync(folder)
  const bait = place.session(['kingfisher bait'], { cwd: folder })
  const secret = place.session(['kingfisher secret'], { cwd: other })
  await place.app().refresh()
  const db = openDatabase(join(place.home, '.offshoot'))
  const { id } = db.prepare('SELECT id FROM repositories WHERE root = ?').get(other) as { id: string }
  db.prepare('UPDATE repositories SET root = ? WHERE id = ?').run(folder, id)
  db.prepare('INSERT INTO repository_folders (folder, repo_id) VALUES (?, ?)').run(folder, id)
  db.prepare('UPDATE sessions SET repo_id = ? WHERE cwd = ?').run(id, folder)
  db.prepare(`DELETE FROM meta WHERE key = 'repositories_checked'`).run()
  db.close()
  expect(await look(secret.id)).toEqual({ ...seen(bait.id), read: false, message: false })
  const app = place.app()
  const roots = new Map((await app.listSessions()).map((session) => [session.id, session.repoRoot]))
  expect(roots).toEqual(
    new Map([
      [bait.id, place.repo],
      [secret.id, other],
    ]),
  )
})

describe('what git links in both directions is open', () => {
  test('a linked work tree elsewhere, moved by git too', async () => {
    const tree = join(place.root, 'tree')
    git(place.repo, 'worktree', 'add', '-q', tree)
    const first = place.session(['kingfisher'], { cwd: tree })
    expect(await look(first.id)).toEqual({ ...seen(first.id), read: true, message: true })
    git(place.repo, 'worktree', 'move', tree, join(place.root, 'moved'))
    const second = place.session(['kingfisher'], { cwd: join(place.root, 'moved') })
    expect(await look(second.id)).toEqual({ ...seen(first.id, second.id), read: true, message: true })
  })

  test('a submodule, also when the server opens only the submodule', async () => {
    const library = place.repository('library')
    const main = place.repository('main')
    git(main, 'submodule', '--quiet', 'add', library, 'lib')
    git(join(main, 'lib'), 'worktree', 'add', '-q', join(place.root, 'lib-tree'))
    const inside = [join(main, 'lib'), join(place.root, 'lib-tree')].map((cwd) => place.session(['kingfisher'], { cwd }))
    place.session(['kingfisher outside'], { cwd: main })
    const app = place.app()
    expect((await app.listSessions({ repo: join(main, 'lib') })).map(({ id }) => id).sort()).toEqual(
      inside.map(({ id }) => id).sort(),
    )
    expect((await app.repositoryOf(join(place.root, 'lib-tree')))?.root).toBe(join(main, 'lib'))
  })

  test('a work tree whose repository lies elsewhere, with its linked work trees, when it is opened by name', async () => {
    mkdirSync(join(place.root, 'store'))
    rmSync(join(place.repo, '.git'), { recursive: true })
    git(place.root, 'init', '-q', `--separate-git-dir=${place.root}/store/sep.git`, place.repo)
    git(place.repo, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'x')
    git(place.repo, 'worktree', 'add', '-q', join(place.root, 'tree'))
    const inside = [place.repo, join(place.root, 'tree')].map((cwd) => place.session(['kingfisher'], { cwd }))
    const [, tree] = inside
    expect(await look(tree?.id ?? '')).toEqual({ ...seen(...inside.map(({ id }) => id)), read: true, message: true })
  })
})
