import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HookedSession, hookedSession, type Payload, playTurn } from '../../test/capture/session.ts'
import { createSandbox, type Sandbox } from '../../test/fork/sandbox.ts'
import { testGit } from '../../test/git/scratch.ts'
import { parseHookEvent } from '../agents/hook-events.ts'
import type { HookEvent } from '../agents/hooks.ts'
import { listSnapshots } from '../snapshots/read-snapshot.ts'
import { writeMarker } from '../snapshots/workspace-marker.ts'
import { readPending } from './pending.ts'
import { recordEvent } from './record-event.ts'
import { readState, sessionFolder } from './session-state.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let clock: number
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  clock = 1_700_000_000_000
})
afterEach(() => sandbox.close())

const git = testGit()
const write = (name: string, text: string) => writeFileSync(join(repo, name), text)

function tell(payload: Payload | HookEvent, agent: 'claude' | 'codex' = 'claude', more: { otherFolder?: string } = {}) {
  const event = 'kind' in payload ? (payload as HookEvent) : parseHookEvent(agent, payload)
  if (event === null) throw new Error('no event')
  const context = { folder: sandbox.offshootHome, git, now: () => clock++, maxFileBytes: 1 << 20 }
  return recordEvent(context, { agent, event, by: 'hook', ...more })
}

const turn = (text: string, work: () => void) => playTurn(tell, session, text, work)

/** Every snapshot of the repository: number and moment of its turn, how it came, and what a file held. */
async function snapshots(file = 'a', root = repo) {
  const all = await listSnapshots(git, join(root, '.git'))
  const show = ({ tree, meta }: (typeof all)[number]) => {
    const listed = sandbox.git(root, 'ls-tree', tree, file)
    const content = listed === '' ? null : sandbox.git(root, 'cat-file', '-p', `${tree}:${file}`)
    return `${meta.turnNumber} ${meta.moment} ${meta.by} ${content}`
  }
  return all.map(show).sort()
}

describe('turns of a session', () => {
  it('have the words of a prompt that was written after they began', async () => {
    const event = { sessionId: randomUUID(), transcriptPath: null, cwd: repo, turnKey: 'one' } as const
    await tell({ ...event, kind: 'prompt', prompt: '' }, 'codex')
    await tell({ ...event, kind: 'turn_end', prompt: 'what to do' }, 'codex')
    const all = await listSnapshots(git, join(repo, '.git'))
    expect(all.map(({ meta }) => [meta.moment, meta.prompt]).sort()).toEqual([
      ['end', 'what to do'],
      ['start', ''],
    ])
  })

  it('are captured at their end, and before the first prompt', async () => {
    write('a', '0')
    const ids = [
      await turn('one', () => write('a', '1')),
      await turn('two', () => write('a', '2')),
      await turn('three', () => undefined),
    ]
    expect(await snapshots()).toEqual(['1 end hook 1', '1 start hook 0', '2 end hook 2', '3 end hook 2'])
    const ends = (await listSnapshots(git, join(repo, '.git'))).filter(({ meta }) => meta.moment === 'end')
    const byNumber = ends.sort((a, b) => (a.meta.turnNumber ?? 0) - (b.meta.turnNumber ?? 0))
    expect(byNumber.map(({ meta }) => meta.turnId)).toEqual(ids)
    expect(byNumber.map(({ meta }) => meta.prompt)).toEqual(['one', 'two', 'three'])
    expect(byNumber[1]?.meta.startTree).toBe(byNumber[0]?.tree)
    expect(readPending(sandbox.offshootHome)).toHaveLength(4)
  })

  it('keep what the person did in between as the start of the next', async () => {
    await turn('one', () => write('a', '1'))
    write('a', 'by hand')
    await turn('two', () => write('a', '2'))
    sandbox.git(repo, 'add', '-A')
    sandbox.git(repo, 'commit', '-qm', 'by hand')
    await turn('three', () => write('a', '3'))
    expect(await snapshots()).toEqual([
      '1 end hook 1',
      '1 start hook null',
      '2 end hook 2',
      '2 start hook by hand',
      '3 end hook 3',
    ])
  })

  it('that stop several times keep the last state', async () => {
    await tell(session.prompt('one'))
    write('a', '1')
    await tell(session.stop())
    write('a', '2')
    await tell(session.stop())
    expect(await snapshots()).toEqual(['1 end hook 2', '1 start hook null'])
    const [end] = (await listSnapshots(git, join(repo, '.git'))).filter(({ meta }) => meta.moment === 'end')
    expect(end?.meta.prompt).toBe('one')
    expect(end?.meta.startTree).not.toBeNull()
  })

  it('that end without a word are captured by the next prompt or the end of the session', async () => {
    await tell(session.prompt('one'))
    write('a', '1')
    await tell(session.prompt('two'))
    write('a', '2')
    await tell(session.end())
    await tell(session.end())
    expect(await snapshots()).toEqual(['1 end late 1', '1 start hook null', '2 end late 2'])
    expect(readState(sessionFolder(sandbox.offshootHome, 'claude', session.id))?.open).toBeNull()
  })

  it('told of twice, as by hooks of the user and of the project, are captured once', async () => {
    const prompt = session.prompt('one')
    await Promise.all([tell(prompt), tell(prompt)])
    write('a', '1')
    await Promise.all([tell(session.stop()), tell(session.stop())])
    await tell(prompt)
    expect(await snapshots()).toEqual(['1 end hook 1', '1 start hook null'])
    expect(readState(sessionFolder(sandbox.offshootHome, 'claude', session.id))).toMatchObject({ count: 1, open: null })
  })

  it('that a background task reports to go on, and are counted once', async () => {
    const first = await turn('one', () => write('a', '1'))
    await tell(session.prompt('<task-notification>\nThe task has ended.'))
    write('a', '2')
    await tell(session.stop())
    await turn('two', () => write('a', '3'))
    expect(await snapshots()).toEqual(['1 end hook 2', '1 start hook null', '2 end hook 3'])
    const [end] = (await listSnapshots(git, join(repo, '.git'))).filter(
      ({ meta }) => meta.turnNumber === 1 && meta.moment === 'end',
    )
    expect(end?.meta.turnId).toBe(first)
  })

  it('that stop after the next has begun are kept under their own name, and the next stays open', async () => {
    await tell(session.prompt('one'))
    const stop = session.stop()
    write('a', '1')
    await tell(session.prompt('two'))
    write('a', '1b')
    await tell(stop)
    expect(await snapshots()).toEqual(['1 end hook 1b', '1 start hook null'])
    write('a', '2')
    await tell(session.stop())
    expect(await snapshots()).toContain('2 end hook 2')
  })

  it('that a fork gave one id are captured apart', async () => {
    const shared = session.prompt('inherited')
    const inherited = session.writePrompt()
    session.writeAnswer()
    const end = session.writeStopped()
    // 2.1.325 gives the lines that --fork-session copies the id of the first new prompt.
    await tell({ ...shared, prompt: 'own' })
    const own = session.writePrompt()
    write('a', 'own')
    session.writeAnswer()
    await tell(session.stop())
    session.writeStopped()
    session.rewind(end)
    session.writeCommand('true')
    write('a', 'command')
    session.writeAnswer()
    await tell(session.stop())
    const all = (await listSnapshots(git, join(repo, '.git'))).filter(({ meta }) => meta.moment === 'end')
    const shown = all.map(({ tree, meta }) => [meta.turnId, sandbox.git(repo, 'cat-file', '-p', `${tree}:a`)])
    expect(Object.fromEntries(shown)).toEqual({ [own]: 'own', [inherited]: 'command' })
  })

  it('of a session begun before have no number yet', async () => {
    session.prompt('before')
    session.writePrompt()
    session.writeAnswer()
    await turn('two', () => write('a', '2'))
    expect(await snapshots()).toEqual(['null end hook 2', 'null start hook null'])
  })

  it('whose prompt holds a secret keep none of it', async () => {
    const secret = `ghp_${'aB3'.repeat(12)}`
    await turn(`use ${secret}`, () => write('a', '1'))
    const texts = [
      readFileSync(join(sessionFolder(sandbox.offshootHome, 'claude', session.id), 'state.json'), 'utf8'),
      ...readPending(sandbox.offshootHome).map(({ path }) => readFileSync(path, 'utf8')),
      ...(await listSnapshots(git, join(repo, '.git'))).map(({ meta }) => JSON.stringify(meta)),
    ]
    for (const text of texts) expect(text).not.toContain('ghp_')
    expect(texts[0]).toContain('[redacted:')
  })
})

describe('Codex', () => {
  const base = () => ({ session_id: 'thread', transcript_path: join(sandbox.home, 'rollout.jsonl'), cwd: repo })
  it('tells of interrupted turns, and by notifications of ended ones only', async () => {
    const codex = (event: string, turn_id: string, more = {}) =>
      tell({ ...base(), hook_event_name: event, turn_id, ...more }, 'codex')
    await codex('UserPromptSubmit', 't1', { prompt: 'one' })
    write('a', '1')
    await codex('Interrupt', 't1')
    await codex('Interrupt', 't1')
    write('a', '2')
    const notification = {
      type: 'agent-turn-complete',
      'thread-id': 'thread',
      'turn-id': 't2',
      cwd: repo,
      'input-messages': ['two'],
    }
    await tell(notification, 'codex')
    expect(await snapshots()).toEqual(['1 end hook 1', '1 start hook null', '2 end hook 2'])
    const all = await listSnapshots(git, join(repo, '.git'))
    expect(all.map(({ meta }) => meta.turnId).sort()).toEqual(['t1', 't1', 't2'])
    expect(all.find(({ meta }) => meta.turnId === 't2')?.meta.prompt).toBe('two')
  })
})

describe('where it is told of', () => {
  it('outside of git the turn is known, and no more', async () => {
    const folder = join(sandbox.root, 'plain')
    mkdirSync(folder)
    session = hookedSession(sandbox.projects, folder)
    await turn('one', () => undefined)
    const notes = readPending(sandbox.offshootHome)
    expect(notes.map(({ pending }) => [pending.kept, pending.meta.moment])).toEqual([[null, 'end']])
  })

  it('is the project, where the agent went into a repository inside of it', async () => {
    await turn('one', () => write('a', '1'))
    sandbox.repository('repo/vendored')
    session = { ...session, stop: () => ({ ...session.stop(), cwd: join(repo, 'vendored') }) }
    const inner = { ...session.prompt('two'), cwd: join(repo, 'vendored') }
    await tell(inner)
    write('a', '2')
    await tell({ ...inner, hook_event_name: 'Stop' })
    expect(await snapshots()).toContain('2 end hook 2')
    expect(await listSnapshots(git, join(repo, 'vendored', '.git'))).toEqual([])
  })

  it('is the worktree the agent went into', async () => {
    await turn('one', () => write('a', '1'))
    const tree = join(repo, 'trees', 'x')
    sandbox.git(repo, 'worktree', 'add', '-q', '--detach', tree)
    const prompt = { ...session.prompt('two'), cwd: tree }
    await tell(prompt)
    writeFileSync(join(tree, 'a'), 'there')
    await tell({ ...prompt, hook_event_name: 'Stop' })
    expect(await snapshots()).toContain('2 end hook there')
  })

  it('is the project folder when the agent removed its own', async () => {
    mkdirSync(join(repo, 'sub'))
    const prompt = { ...session.prompt('one'), cwd: join(repo, 'sub') }
    await tell(prompt)
    rmSync(join(repo, 'sub'), { recursive: true })
    write('a', '1')
    await tell({ ...prompt, hook_event_name: 'Stop' }, 'claude', { otherFolder: repo })
    expect(await snapshots()).toContain('1 end hook 1')
  })

  it('in a workspace also makes a commit, and learns whose session it is', async () => {
    const path = join(sandbox.root, 'space')
    sandbox.git(repo, 'worktree', 'add', '-q', '-b', 'offshoot/session/abc', path)
    const gitDir = join(repo, '.git', 'worktrees', 'space')
    const marker = { version: 1 as const, id: 'abc', branch: 'offshoot/session/abc', agent: 'claude' as const }
    await writeMarker(gitDir, { ...marker, sessionId: null, keptTurns: 3, push: 'origin' })
    session = hookedSession(sandbox.projects, path)
    await turn('make it', () => writeFileSync(join(path, 'a'), '1'))
    const log = sandbox.git(path, 'log', '-1', '--format=%s%n%(trailers:only)')
    expect(log).toContain('turn 4: make it')
    expect(log).toContain(`Offshoot-Session: ${session.id}`)
    expect(log).toContain('Offshoot-Agent: claude')
    expect(sandbox.git(path, 'status', '--porcelain')).toBe('')
    expect(JSON.parse(readFileSync(join(gitDir, 'offshoot-workspace.json'), 'utf8'))).toMatchObject({ sessionId: session.id })
    expect(readPending(sandbox.offshootHome).at(-1)?.pending.workspace).toEqual({ id: 'abc', push: 'origin' })
  })
})

describe('the commits of a workspace', () => {
  let path: string
  beforeEach(async () => {
    path = join(sandbox.root, 'space')
    write('tracked', 'committed\n')
    sandbox.git(repo, 'add', '.')
    sandbox.git(repo, 'commit', '-qm', 'base')
    sandbox.git(repo, 'worktree', 'add', '-q', '-b', 'offshoot/session/abc', path)
    const marker = { version: 1 as const, id: 'abc', branch: 'offshoot/session/abc', agent: 'claude' as const }
    await writeMarker(join(repo, '.git', 'worktrees', 'space'), { ...marker, sessionId: null, keptTurns: 2, push: null })
    session = hookedSession(sandbox.projects, path)
  })
  const put = (name: string, text: string) => writeFileSync(join(path, name), text)
  /** Newest first, without the base: subject and the files of each. */
  const log = () =>
    sandbox
      .git(path, 'log', '--format=%x00%s', '--name-status', 'main..')
      .split('\0')
      .slice(1)
      .map((each) => each.trim().split(/\n+/).join(' | '))

  it('keep carried work apart from a turn that changed nothing', async () => {
    put('tracked', 'carried\n')
    put('new', 'carried')
    await turn('just an answer', () => undefined)
    expect(log()).toEqual(['before turn 3: uncommitted work | A\tnew | M\ttracked'])
    expect(sandbox.git(path, 'status', '--porcelain')).toBe('')
    expect(sandbox.git(path, 'log', '-1', '--format=%(trailers:only)').trim()).toBe(
      `Offshoot-Session: ${session.id}\nOffshoot-Agent: claude`,
    )
    await turn('work', () => put('tracked', 'by the agent\n'))
    expect(log()[0]).toBe('turn 4: work | M\ttracked')
  })

  it('hold what the turn did on top of carried work, in the same file too', async () => {
    put('tracked', 'committed\ncarried\n')
    put('new', 'carried')
    await turn('work', () => {
      put('tracked', 'committed\ncarried\nby the agent\n')
      rmSync(join(path, 'new'))
      put('made', 'by the agent')
    })
    expect(log()).toEqual([
      'turn 3: work | A\tmade | D\tnew | M\ttracked',
      'before turn 3: uncommitted work | A\tnew | M\ttracked',
    ])
    expect(sandbox.git(path, 'show', 'HEAD~1:tracked')).toBe('committed\ncarried\n')
    expect(sandbox.git(path, 'status', '--porcelain')).toBe('')
    const { pending } = readPending(sandbox.offshootHome).at(-1) ?? {}
    expect(pending?.meta.commit).toBe(sandbox.git(path, 'rev-parse', 'HEAD').trim())
  })

  it('keep edits by hand between two turns apart from the second', async () => {
    await turn('one', () => put('a', '1'))
    put('a', 'by hand')
    await turn('two', () => put('b', '2'))
    expect(log()).toEqual(['turn 4: two | A\tb', 'before turn 4: uncommitted work | M\ta', 'turn 3: one | A\ta'])
  })

  it('keep carried work apart where the agent committed by itself', async () => {
    put('new', 'carried')
    put('tracked', 'carried\n')
    await turn('work', () => {
      put('own', 'by the agent')
      sandbox.git(path, 'add', 'own', 'tracked')
      sandbox.git(path, 'commit', '-qm', 'own')
      put('more', 'by the agent')
    })
    expect(log()).toEqual(['turn 3: work | A\tmore', 'before turn 3: uncommitted work | A\tnew', 'own | A\town | M\ttracked'])
    expect(sandbox.git(path, 'status', '--porcelain')).toBe('')
  })

  it('stay apart when a turn ends twice, or without a word', async () => {
    put('new', 'carried')
    await tell(session.prompt('work'))
    put('a', '1')
    await tell(session.stop())
    put('b', '2')
    await tell(session.stop())
    expect(log()).toEqual(['turn 3: work | A\tb', 'turn 3: work | A\ta', 'before turn 3: uncommitted work | A\tnew'])
    put('c', 'by hand')
    await tell(session.prompt('stopped'))
    put('d', '4')
    await tell(session.prompt('next'))
    put('e', '5')
    await tell(session.stop())
    expect(log().slice(0, 3)).toEqual(['turn 5: next | A\te', 'turn 4: stopped | A\td', 'before turn 4: uncommitted work | A\tc'])
  })

  it('leave a command behind an inherited turn to what was uncommitted before the first turn', async () => {
    session.prompt('inherited')
    session.writePrompt()
    session.writeAnswer()
    put('new', 'carried')
    session.writeCommand('touch by-hand')
    put('by-hand', '')
    session.writeAnswer()
    await tell(session.stop())
    expect(log()).toEqual([])
    await turn('work', () => put('a', '1'))
    expect(log()).toEqual(['turn 3: work | A\ta', 'before turn 3: uncommitted work | A\tby-hand | A\tnew'])
    const ends = (await listSnapshots(git, join(repo, '.git'))).filter(({ meta }) => meta.moment === 'end')
    expect(ends).toHaveLength(2)
  })

  it('begin the history of a workspace without one', async () => {
    sandbox.git(path, 'symbolic-ref', 'HEAD', 'refs/heads/offshoot/session/abc2')
    const gitDir = join(repo, '.git', 'worktrees', 'space')
    const marker = { version: 1 as const, id: 'abc', branch: 'offshoot/session/abc2', agent: 'claude' as const }
    await writeMarker(gitDir, { ...marker, sessionId: null, keptTurns: 0, push: null })
    await turn('work', () => put('a', '1'))
    expect(sandbox.git(path, 'log', '--format=%s').trim().split('\n')).toEqual([
      'turn 1: work',
      'before turn 1: uncommitted work',
    ])
  })
})

describe('what was left by one that was cut off', () => {
  const folder = () => sessionFolder(sandbox.offshootHome, 'claude', session.id)

  it('an index that may still be written is left alone', async () => {
    await turn('one', () => write('a', '1'))
    const name = readdirSync(folder()).find((each) => /^index-[0-9a-f]+$/.test(each))
    expect(name).toBeDefined()
    writeFileSync(join(folder(), `${name}.lock`), '')
    await turn('two', () => write('a', '2'))
    await turn('three', () => write('a', '3'))
    expect(await snapshots()).toEqual(['1 end hook 1', '1 start hook null', '2 end hook 2', '3 end hook 3'])
    expect(existsSync(join(folder(), `${name}.lock`))).toBe(true)
  })

  it('a snapshot nobody was told of is told of, not taken again later', async () => {
    await tell(session.prompt('one'))
    const before = readFileSync(join(folder(), 'state.json'))
    write('a', '1')
    await tell(session.stop())
    writeFileSync(join(folder(), 'state.json'), before)
    write('a', 'by hand')
    await turn('two', () => write('a', '2'))
    expect(await snapshots()).toEqual(['1 end hook 1', '1 start hook null', '2 end hook 2', '2 start hook by hand'])
  })

  it('a state that is lost or broken costs no turn', async () => {
    await turn('one', () => write('a', '1'))
    writeFileSync(join(folder(), 'state.json'), '{')
    await turn('two', () => write('a', '2'))
    rmSync(folder(), { recursive: true })
    await turn('three', () => write('a', '3'))
    expect(await snapshots()).toEqual(expect.arrayContaining(['1 end hook 1', 'null end hook 2', 'null end hook 3']))
  })

  it('a repository that moved is found where it is now', async () => {
    await turn('one', () => write('a', '1'))
    const moved = join(sandbox.root, 'moved')
    renameSync(repo, moved)
    const prompt = { ...session.prompt('two'), cwd: moved }
    await tell(prompt)
    writeFileSync(join(moved, 'a'), '2')
    await tell({ ...prompt, hook_event_name: 'Stop' })
    expect(await snapshots('a', moved)).toContain('2 end hook 2')
  })
})

it('ids that could leave their folder are refused', async () => {
  const event: HookEvent = {
    kind: 'turn_end',
    sessionId: '../x',
    transcriptPath: null,
    cwd: repo,
    turnKey: randomUUID(),
    prompt: null,
  }
  await expect(tell(event)).rejects.toThrow('not a session id')
})

describe('a prompt whose event comes to nothing', () => {
  it('is known to have begun: what follows captures it', async () => {
    await turn('one', () => write('a', '1'))
    const failing = {
      folder: sandbox.offshootHome,
      git: () => Promise.reject(new Error('hangs')),
      now: () => clock++,
      maxFileBytes: 0,
    }
    const event = parseHookEvent('claude', session.prompt('two')) as HookEvent
    await expect(recordEvent(failing, { agent: 'claude', event, by: 'hook' })).rejects.toThrow('hangs')
    const id = session.writePrompt()
    write('a', '2')
    // Killed: no end of it is told.
    await turn('three', () => write('a', '3'))
    expect(await snapshots()).toEqual(['1 end hook 1', '1 start hook null', '2 end late 2', '3 end hook 3'])
    const late = (await listSnapshots(git, join(repo, '.git'))).find(({ meta }) => meta.by === 'late')
    expect(late?.meta).toMatchObject({ prompt: 'two', turnId: id })
    expect(late?.meta.startTree).not.toBeNull()
  })
})

describe('a transcript that cannot be read', () => {
  it.each(['a pipe', 'a folder', 'a link to itself'])('%s: the turn is captured all the same', async (what) => {
    const path = join(sandbox.root, 'odd')
    if (what === 'a pipe') execFileSync('mkfifo', [path])
    else if (what === 'a folder') mkdirSync(path)
    else symlinkSync(path, path)
    await tell({ ...session.prompt('one'), transcript_path: path })
    write('a', '1')
    const { captured } = await tell({ ...session.stop(), transcript_path: path })
    expect(captured).toBe(1)
    expect((await snapshots()).map((each) => each.replace(/^\S+ /, ''))).toEqual(['end hook 1', 'start hook null'])
  })
})
