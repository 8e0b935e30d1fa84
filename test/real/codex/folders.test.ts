// In which folder the real Codex says that each prompt was given: what decides which turns a server may show.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { createApp } from '../../../src/app.ts'
import { guardApp } from '../../../src/guarded-app.ts'
import { codexVersions } from '../lib/agents.ts'
import { type AppServer, startAppServer } from './app-server.ts'
import { execResume } from './exec.ts'
import { createCodexHome } from './home.ts'
import { makeCodexSession } from './session.ts'

test.each(codexVersions)('Codex %s names the folder of each prompt', { timeout: 180_000 }, async (version) => {
  const { home, threadId } = await makeCodexSession({
    version,
    prompts: ['Go down [[shell: mkdir -p sub; cd sub; pwd]]', 'Home again'],
  })
  try {
    const elsewhere = home.sandbox.folder('elsewhere')
    mkdirSync(join(elsewhere, 'deep'))
    await execResume(home, threadId, 'Far away [[shell: pwd]]', { cwd: elsewhere })
    await execResume(home, threadId, 'Back', {})
    const [file] = [...codex.discover(home.sandbox.agentEnv)].filter(({ id }) => id === threadId)
    if (file === undefined) throw new Error('no session')
    const { turns } = await codex.summarise(file, home.sandbox.agentEnv)
    expect(turns.map(({ prompt, cwd }) => [prompt.split(' [[')[0], cwd])).toEqual([
      ['Go down', home.work],
      ['Home again', home.work],
      ['Far away', elsewhere],
      ['Back', home.work],
    ])
  } finally {
    await home.dispose()
  }
})

test.each(codexVersions)(
  'a turn of Codex %s inside shows no instructions of a folder outside',
  { timeout: 180_000 },
  async (version) => {
    const home = await createCodexHome(version)
    try {
      const { sandbox, work } = home
      const outside = sandbox.folder('outside')
      sandbox.git(outside, 'init', '-q')
      writeFileSync(join(outside, 'AGENTS.md'), 'secret instructions\n')
      writeFileSync(join(work, 'AGENTS.md'), 'open instructions\n')
      const turns: { readonly id: string }[] = []
      const turnInside = async (server: AppServer, threadId: string, text: string) => {
        const input = [{ type: 'text', text }]
        const { turn } = await server.request<{ turn: { id: string } }>('turn/start', { threadId, cwd: work, input })
        turns.push(turn)
        await server.turnEnd(turn.id)
      }
      const first = await startAppServer(home)
      const begun = await first.startThread(outside)
      await turnInside(first, begun, 'One')
      const resumed = await first.startThread(work)
      await turnInside(first, resumed, 'One')
      await first.stop()
      const second = await startAppServer(home)
      for (const threadId of [begun, resumed]) {
        await second.request('thread/resume', { threadId, cwd: outside })
        await turnInside(second, threadId, 'Two')
        await second.request('thread/compact/start', { threadId })
        turns.push({ id: await second.otherTurnEnd(turns) })
        await turnInside(second, threadId, 'Three')
      }
      await second.stop()
      const app = createApp({ home: sandbox.home, vars: sandbox.env, cwd: work, now: Date.now })
      const guarded = guardApp(app, {
        roots: [work],
        surface: 'http',
        onRefusal: () => undefined,
        now: Date.now,
        home: sandbox.home,
      })
      for (const id of [begun, resumed]) {
        const session = await guarded.session(id)
        const texts: string[] = []
        for await (const entry of guarded.readSession(session)) if (entry.kind === 'message') texts.push(entry.message.text)
        expect(texts).toEqual(expect.arrayContaining(['One', 'Two', 'Three']))
        expect(texts.join('\n')).not.toContain('secret')
        const { messages } = await guarded.readTurns(session, {})
        expect(JSON.stringify(messages)).not.toContain('secret')
        const told: string[] = []
        for await (const entry of app.readSession(session)) if (entry.kind === 'message') told.push(entry.message.text)
        // 0.142 tells a thread the instructions of the folder it was started or resumed in, after a compaction again.
        expect(told.join('\n').includes('secret')).toBe(version === '0.142.0')
      }
      app.close()
    } finally {
      await home.dispose()
    }
  },
)
