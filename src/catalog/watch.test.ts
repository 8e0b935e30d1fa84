import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SessionChange } from '../model/catalog.ts'
import { createSandbox, type Sandbox } from './sandbox.testkit.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

const soon = { timeout: 30_000, interval: 20 }

describe('watch', () => {
  it("takes up each agent's folder when it appears", async () => {
    const changes: string[] = []
    const watching = await sandbox.catalog().watch(({ agent, change }) => changes.push(`${agent} ${change}`))
    try {
      sandbox.session({ turns: 1 })
      await vi.waitFor(() => expect(changes).toContain('claude added'), soon)
      const folder = join(sandbox.home, '.codex', 'sessions', '2026', '01', '05')
      mkdirSync(folder, { recursive: true })
      const id = '01a1ddf5-ad6a-7301-b0fb-bfe5b3bd1703'
      const path = join(folder, `rollout-2026-01-05T09-00-00-${id}.jsonl`)
      const line = { timestamp: '2026-01-05T09:00:00.000Z', ordinal: 0, type: 'session_meta', payload: { id, cwd: '/' } }
      writeFileSync(path, `${JSON.stringify(line)}\n`)
      await vi.waitFor(() => expect(changes).toContain('codex added'), soon)
      appendFileSync(path, `${JSON.stringify({ ...line, ordinal: 1, type: 'something' })}\n`)
      await vi.waitFor(() => expect(changes).toContain('codex updated'), soon)
    } finally {
      await watching.close()
    }
  }, 40_000)

  it('tells of sessions that appear, grow and go, and answers with them at once', async () => {
    const catalog = sandbox.catalog()
    const changes: SessionChange[] = []
    // No agent has ever run here: its folders come into being while we watch.
    const watching = await catalog.watch((change) => changes.push(change))
    try {
      const session = sandbox.session({ turns: 1 })
      await vi.waitFor(() => expect(changes.map(({ change }) => change)).toContain('added'), soon)
      changes.length = 0

      const turnId = session.addTurn('typed by someone else')
      await vi.waitFor(() => expect(changes).toContainEqual({ agent: 'claude', sessionId: session.id, change: 'updated' }), soon)
      const [listed] = await catalog.listSessions({}, { refresh: false })
      if (listed === undefined) throw new Error('not listed')
      expect((await catalog.listTurns(listed)).at(-1)?.id).toBe(turnId)

      rmSync(session.path)
      const removed = () => changes.filter(({ change }) => change === 'removed')
      await vi.waitFor(() => expect(removed()).toEqual([{ agent: 'claude', sessionId: session.id, change: 'removed' }]), soon)
    } finally {
      await watching.close()
    }
    const told = changes.length
    const after = sandbox.session({ turns: 1 })
    const again = await catalog.watch(() => changes.push({ agent: 'claude', sessionId: after.id, change: 'added' }))
    await again.close()
    expect(changes).toHaveLength(told)
  }, 40_000)

  it('tells of a change although another process read it first', async () => {
    const session = sandbox.session({ turns: 1 })
    const changes: SessionChange[] = []
    const watching = await sandbox.catalog().watch((change) => changes.push(change))
    const other = sandbox.catalog()
    try {
      session.addTurn('read by the other first')
      await other.refresh()
      await vi.waitFor(() => expect(changes).toMatchObject([{ sessionId: session.id, change: 'updated' }]), soon)
    } finally {
      await watching.close()
    }
  }, 40_000)

  it('misses nothing of a burst, however its writes fall', async () => {
    const session = sandbox.session({ turns: 1 })
    const catalog = sandbox.catalog()
    const watching = await catalog.watch(() => undefined)
    try {
      for (let round = 0; round < 12; round += 1) {
        session.addTurn(`begins ${round}`)
        await sleep(66 + 2 * round)
        session.addTurn(`goes on ${round}`)
        await sleep(8)
        const last = session.addTurn(`ends ${round}`)
        await vi.waitFor(async () => {
          const [listed] = await catalog.listSessions({}, { refresh: false })
          if (listed === undefined) throw new Error('not listed')
          expect((await catalog.listTurns(listed, { refresh: false })).at(-1)?.id).toBe(last)
        }, soon)
      }
    } finally {
      await watching.close()
    }
  }, 200_000)

  it.skipIf(process.platform !== 'linux')(
    'watches nothing of what a link leads to but its sessions',
    async () => {
      const session = sandbox.session({ turns: 1 })
      const deep = join(sandbox.home, 'elsewhere', 'far', 'away')
      mkdirSync(deep, { recursive: true })
      const project = dirname(session.path)
      symlinkSync(join(sandbox.home, 'elsewhere'), join(project, '7a2b1194-0dcd-4281-89fe-389e4c1bf1fc.jsonl'))
      symlinkSync(join(sandbox.home, 'elsewhere'), join(dirname(project), '-linked'))
      const day = join(sandbox.home, '.codex', 'sessions', '2026', '01', '05')
      mkdirSync(day, { recursive: true })
      symlinkSync('/', join(day, 'rollout-2026-01-05T09-00-00-01a1ddf5-ad6a-7301-b0fb-bfe5b3bd1703.jsonl'))
      const watching = await sandbox.catalog().watch(() => undefined)
      try {
        const watched = watchedInodes()
        expect(watched).toContain(statSync(project).ino)
        expect(watched).not.toContain(statSync(deep).ino)
        expect(watched).not.toContain(statSync('/usr').ino)
      } finally {
        await watching.close()
      }
    },
    40_000,
  )
})

/** What the system watches for this process, as it says itself. */
function watchedInodes(): number[] {
  return readdirSync('/proc/self/fdinfo').flatMap((fd) => {
    let info = ''
    try {
      info = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')
    } catch {
      // closed meanwhile
    }
    return [...info.matchAll(/^inotify .*\bino:([0-9a-f]+)/gm)].map(([, inode = '']) => Number.parseInt(inode, 16))
  })
}
