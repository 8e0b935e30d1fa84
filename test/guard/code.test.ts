// The code of turns that were given, or whose code was captured, outside the roots: no comparison, fork or error message shows it.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type HookedSession, hookedSession } from '../capture/session.ts'
import { tellHere } from '../capture/tell.ts'
import { errorOf } from '../mcp/clients.ts'
import { createPlace } from '../mcp/place.ts'

let place: ReturnType<typeof createPlace>
let other: string
beforeEach(() => {
  place = createPlace()
  other = place.repository('other')
})
afterEach(() => place.end())

const newSession = (cwd: string) => hookedSession(join(place.home, '.claude', 'projects'), cwd)

/** A captured turn: its prompt is given in `from`, its code is written to `file`, and it ends in `to`. */
async function turn(session: HookedSession, from: string, file: string, to = from): Promise<string> {
  const tell = (payload: Parameters<typeof tellHere>[1]) => tellHere(join(place.home, '.offshoot'), payload)
  session.move(from)
  await tell(session.prompt(`write ${file}`))
  const id = session.writePrompt()
  session.move(to)
  writeFileSync(join(to, file), `content of ${file}\n`)
  session.writeAnswer()
  await tell(session.stop())
  return id
}

/** The first turn outside, the second one inside. */
async function begunOutside(name: string): Promise<HookedSession> {
  const session = newSession(other)
  await turn(session, other, `secret-${name}.txt`)
  await turn(session, place.repo, `open-${name}.txt`)
  return session
}

const diff = async (id: string, from: string, to?: string) => {
  const query = new URLSearchParams({ from, ...(to === undefined ? {} : { to }) })
  const answer = await place.ask(`/session/${id}/diff?${query}`)
  return [answer.status, await answer.text()] as const
}

describe('the state before the first turn, where that turn was given outside,', () => {
  test('is answered like a turn that does not exist', async () => {
    const [one, two] = [await begunOutside('one'), await begunOutside('two')]
    const client = await place.http()
    const missing = await diff(one.id, '77')
    expect(missing[0]).toBe(404)
    const sides = [
      ['0', `${two.id}@0`],
      [`${two.id}@0`, '0'],
      ['0', 'now'],
      ['0', '2'],
      ['2', '0'],
      ['0', undefined],
    ] as const
    for (const [from, to] of sides) {
      const [status, text] = await diff(one.id, from, to)
      expect([from, to, status, text.replaceAll(two.id, one.id)]).toEqual([from, to, ...missing])
    }
    const crossed = await diff(one.id, '2', `${two.id}@0`)
    expect([crossed[0], crossed[1].replaceAll(two.id, one.id)]).toEqual(missing)
    const bodies = [{ at_turn: '0' }, { at_turn: '2', code_at: '0' }, { before_turn: '0' }]
    for (const body of bodies) {
      const answer = await place.ask(`/session/${one.id}/fork`, { json: { ...body, dry_run: true } })
      expect([body, answer.status, await answer.text()]).toEqual([body, ...missing])
    }
    const tools = [
      ['read_session', { session: `${one.id}@0` }],
      ['fork_session', { session: `${one.id}@0`, dry_run: true }],
      ['fork_session', { session: one.id, at_turn: '0', dry_run: true }],
      ['fork_session', { session: one.id, at_turn: '2', code_at: '0', dry_run: true }],
    ] as const
    for (const [name, args] of tools)
      expect([args, errorOf(await client.call(name, args)).code]).toEqual([args, 'turn_not_found'])
  })

  test('is compared where the first turn was given inside', async () => {
    const session = newSession(place.repo)
    await turn(session, place.repo, 'open.txt')
    await turn(session, other, 'secret.txt')
    await place.http()
    const [status, text] = await diff(session.id, '0', '1')
    expect([status, JSON.parse(text)]).toMatchObject([200, { files: [{ path: 'open.txt' }] }])
    expect(await diff(session.id, '1', '2')).toEqual(await diff(session.id, '77'))
  })
})

describe('code that was captured outside during a turn given inside', () => {
  test('is not compared, listed or forked', async () => {
    const session = newSession(place.repo)
    await turn(session, place.repo, 'open.txt')
    await turn(session, place.repo, 'secret.txt', other)
    session.move(place.repo)
    await turn(session, place.repo, 'open-again.txt')
    const client = await place.http()
    const asked = [
      await diff(session.id, '2'),
      await diff(session.id, '1', '2'),
      await diff(session.id, '2', 'now'),
      await diff(session.id, '2', '3'),
    ]
    for (const [status, text] of asked) {
      expect([status, text]).toEqual([404, expect.stringContaining('not_captured')])
      expect(text).not.toMatch(/secret|\/other/)
    }
    expect((await diff(session.id, '1', '3'))[0]).toBe(200)
    const shown = await (await place.ask(`/session/${session.id}/turns`)).text()
    expect(shown).toContain('open-again.txt')
    expect(shown.replaceAll('write secret.txt', '')).not.toContain('secret')
    const turns = JSON.stringify(await client.call('list_turns', { session: session.id }))
    expect(turns.replaceAll('write secret.txt', '')).not.toContain('secret')
    for (const body of [{ at_turn: '2', code: 'turn' }, { at_turn: '2' }, { at_turn: '3', code_at: '2' }]) {
      const answer = await place.ask(`/session/${session.id}/fork`, { json: { ...body, dry_run: true } })
      const text = await answer.text()
      expect(text.replaceAll('write secret.txt', '')).not.toMatch(/secret|\/other/)
    }
  })
})

describe('code that was captured outside is answered exactly like code that was not captured', () => {
  /** The agent goes outside in its second turn and stays there; `told`: the hook hears of the end of that turn. */
  async function wandering(told: boolean): Promise<HookedSession> {
    const session = newSession(place.repo)
    rmSync(join(place.repo, 'open.txt'), { force: true })
    await turn(session, place.repo, 'open.txt')
    const tell = (payload: Parameters<typeof tellHere>[1]) => tellHere(join(place.home, '.offshoot'), payload)
    await tell(session.prompt('go outside'))
    session.writePrompt()
    session.move(other)
    writeFileSync(join(other, 'secret.txt'), `${told}\n`)
    session.writeAnswer()
    if (told) await tell(session.stop())
    return session
  }

  const ids = /\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g

  test('in comparisons', async () => {
    const [hidden, missing] = [await wandering(true), await wandering(false)]
    await place.http()
    const ask = async ({ id }: HookedSession, query: string) => {
      const answer = await place.ask(`/session/${id}/diff${query}`)
      return [query, answer.status, (await answer.text()).replaceAll(ids, '<id>')]
    }
    const queries = ['', '?from=2', '?from=1&to=2', '?from=2&to=1', '?from=0&to=2', '?from=2&to=now', '?from=1', '?from=0&to=1']
    for (const query of queries) expect(await ask(hidden, query)).toEqual(await ask(missing, query))
    expect(await ask(hidden, '')).toEqual(['', 200, expect.stringContaining('open.txt')])
    expect(await ask(hidden, '?from=2')).toEqual(['?from=2', 404, expect.stringContaining('no hook recorded its end')])
  })

  test('in plans of forks', async () => {
    const [hidden, missing] = [await wandering(true), await wandering(false)]
    await place.http()
    const plan = async ({ id }: HookedSession, body: object) => {
      const answer = await place.ask(`/session/${id}/fork`, { json: { ...body, dry_run: true } })
      const { plan } = (await answer.json()) as { plan?: { code: object; warnings: object; blockers: object } }
      return JSON.stringify([body, answer.status, plan?.code, plan?.warnings, plan?.blockers]).replaceAll(ids, '<id>')
    }
    const bodies = [
      { at_turn: '2' },
      { at_turn: '2', code: 'turn' },
      { at_turn: '2', code_at: '1' },
      { at_turn: '1', code_at: '2' },
      { at_turn: '2', code_at: '2' },
      { at_turn: '1', code_at: '0' },
    ]
    for (const body of bodies) {
      const answer = await plan(hidden, body)
      expect(answer).toBe(await plan(missing, body))
      expect(answer).not.toMatch(/secret|\/other/)
    }
  })

  test('where the repository outside is a clone, which has the same commits', async () => {
    rmSync(other, { recursive: true })
    writeFileSync(join(place.repo, 'first.txt'), 'first\n')
    const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.org']
    execFileSync('git', ['-C', place.repo, 'add', '.'])
    execFileSync('git', ['-C', place.repo, ...who, 'commit', '-q', '-m', 'first'])
    execFileSync('git', ['clone', '-q', place.repo, other])
    const session = newSession(place.repo)
    await turn(session, place.repo, 'open.txt')
    const tell = (payload: Parameters<typeof tellHere>[1]) => tellHere(join(place.home, '.offshoot'), payload)
    await tell(session.prompt('go outside'))
    session.writePrompt()
    session.move(other)
    session.writeAnswer()
    await tell(session.stop())
    await place.http()
    const answer = await place.ask(`/session/${session.id}/fork`, { json: { at_turn: '2', code: 'turn', dry_run: true } })
    const text = await answer.text()
    expect(text).toContain('the snapshot of turn 1')
    expect(text).not.toContain('the snapshot of turn 2')
  })

  test('in what is said of a session without any captured turn, seen in part or wholly', async () => {
    const [whole, part] = [newSession(place.repo), newSession(place.repo)]
    for (const session of [whole, part]) {
      session.prompt('one')
      session.writePrompt()
      session.writeAnswer()
    }
    part.move(other)
    part.prompt('secret')
    part.writePrompt()
    part.writeAnswer()
    await place.http()
    const ask = async ({ id }: HookedSession) => (await (await place.ask(`/session/${id}/diff`)).text()).replaceAll(id, '<id>')
    expect(await ask(part)).toBe(await ask(whole))
    expect(await ask(whole)).toContain('No turn of claude:<id> was captured')
  })
})

test('code captured in a worktree or a submodule of an open repository is compared, also after the worktree was removed', async () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args])
  const linked = join(place.root, 'linked')
  git('-C', place.repo, 'worktree', 'add', '-q', linked)
  git('-C', place.repo, 'submodule', '--quiet', 'add', other, 'module')
  const sessions: HookedSession[] = []
  for (const folder of [linked, join(place.repo, 'module')]) {
    const session = newSession(folder)
    await turn(session, folder, 'open.txt')
    sessions.push(session)
  }
  await place.http()
  const check = async () => {
    for (const { id } of sessions) {
      const [status, text] = await diff(id, '0', '1')
      expect([status, JSON.parse(text)]).toMatchObject([200, { files: [{ path: 'open.txt' }] }])
      expect(await (await place.ask(`/session/${id}/turns`)).json()).toMatchObject({
        turns: [{ snapshot: { files: ['open.txt'] } }],
      })
    }
  }
  await check()
  rmSync(linked, { recursive: true })
  await check()
})
