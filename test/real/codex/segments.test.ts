// Rewinding a thread gives it a new file. The catalogue knew the thread before, and sees the same session go on.
import { describe, expect, it } from 'vitest'
import { startAppServer } from './app-server.ts'
import { execFork, execNew, execResume, runCodex } from './exec.ts'
import { createCodexHome } from './home.ts'
import { openLongLived } from './long-lived.ts'
import { rolloutsOf } from './rollouts.ts'
import { addTurns, openThread, rewind } from './scenarios/threads.ts'
import { openCodexTerminal } from './terminal.ts'

const timeout = 180_000

describe('a thread rewound after it was catalogued', () => {
  it('stays one session through rewinds in the terminal', { timeout }, async () => {
    const home = await createCodexHome('0.166.0')
    try {
      const life = openLongLived(home)
      const terminal = await openCodexTerminal(home)
      await terminal.ask('One')
      await terminal.ask('Two')
      await terminal.ask('Three')
      const [{ id = '' } = {}] = await life.catalog.listSessions()
      expect(await life.turns(id)).toEqual(['One', 'Two', 'Three'])

      await terminal.rewind(1)
      await terminal.waitFor(/^› Three/m)
      expect(await life.turns(id)).toEqual(['One', 'Two', '✗ Three'])
      await life.agrees()
      terminal.key('C-u')
      await terminal.ask('Another three')
      expect(await life.turns(id)).toEqual(['One', 'Two', 'Another three', '✗ Three'])
      await life.agrees()
      expect((await life.catalog.resolve(`codex:${id}@last`)).turn?.prompt).toBe('Another three')

      // To the first prompt.
      await terminal.rewind(3)
      await terminal.waitFor(/^› One/m)
      expect((await life.turns(id)).sort()).toEqual(['✗ Another three', '✗ One', '✗ Three', '✗ Two'])
      await life.agrees()
      terminal.key('C-u')
      await terminal.ask('From scratch')
      await life.agrees()
      await terminal.quit()
      await life.agrees()
      expect((await life.turns(id))[0]).toBe('From scratch')
      expect(rolloutsOf(home, id)).toHaveLength(3)
    } finally {
      await home.dispose()
    }
  })

  it("stays one session through thread/revert, in forks, the agent's archive and back", { timeout }, async () => {
    const home = await createCodexHome('0.166.0')
    try {
      const life = openLongLived(home)
      const opened = await openThread(home, 3)
      const { server, threadId } = opened
      await life.agrees()
      const child = await server.fork(threadId)
      await addTurns(server, child, ['Child one', 'Child two'])
      await life.agrees()
      await rewind(home, opened, 2)
      await life.agrees()
      expect(await life.turns(threadId)).toEqual(['One', '✗ Two', '✗ Three'])
      expect(await life.turns(child)).toEqual(['One', 'Two', 'Three', 'Child one', 'Child two'])

      // The fork is rewound: to a turn of its own, then to one of its parent, then to before the first.
      const turnIds = async () => (await life.catalog.listTurns(await life.session(child))).map(({ id }) => id)
      const revert = async (index: number) =>
        server.request('thread/revert', { threadId: child, beforeTurnId: (await turnIds())[index] })
      await revert(4)
      await life.agrees()
      expect(await life.turns(child)).toEqual(['One', 'Two', 'Three', 'Child one', '✗ Child two'])
      await revert(1)
      await life.agrees()
      await addTurns(server, child, ['Instead of two'])
      await life.agrees()
      expect((await life.turns(child)).slice(0, 2)).toEqual(['One', 'Instead of two'])
      const { parent } = await life.session(child)
      expect(parent).toMatchObject({ sessionId: threadId, turnNumber: 1 })
      await revert(0)
      await life.agrees()
      await server.stop()

      await execResume(home, threadId, 'Parent goes on')
      await life.agrees()
      for (const verb of ['archive', 'unarchive'] as const) {
        expect((await runCodex(home, verb, threadId)).code).toBe(0)
        expect((await life.session(threadId)).state).toBe(verb === 'archive' ? 'archived' : 'present')
        await life.agrees()
        expect(await life.turns(threadId)).toEqual(['One', 'Parent goes on', '✗ Two', '✗ Three'])
      }
      const grandchild = await execFork(home, threadId, 'Of the rewound one')
      await life.agrees()
      expect(await life.turns(grandchild)).toEqual(['One', 'Parent goes on', 'Of the rewound one'])
    } finally {
      await home.dispose()
    }
  })

  it('is told as an update by the watcher', { timeout }, async () => {
    const home = await createCodexHome('0.166.0')
    try {
      const life = openLongLived(home)
      const id = await execNew(home, 'One')
      await execResume(home, id, 'Two')
      const changes: string[] = []
      const watching = await life.catalog.watch(({ sessionId, change }) => changes.push(`${sessionId} ${change}`))
      const server = await startAppServer(home)
      await server.request('thread/resume', { threadId: id, excludeTurns: true })
      const [, two] = await life.catalog.listTurns(await life.session(id))
      await server.request('thread/revert', { threadId: id, beforeTurnId: two?.id })
      await expect.poll(() => changes).toContain(`${id} updated`)
      expect(new Set(changes)).toEqual(new Set([`${id} updated`]))
      await watching.close()
      await server.stop()
      expect(await life.turns(id)).toEqual(['One', '✗ Two'])
      await life.agrees()
    } finally {
      await home.dispose()
    }
  })
})
