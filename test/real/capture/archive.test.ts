// A transcript is in our archive once its turn is captured: when the agent's file is gone it comes back byte for byte, and the
// agent resumes it as if nothing had happened.
import { readFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { agentRuns, withBench } from './bench.ts'
import { askedDifference } from './conversation.ts'
import { headless } from './talker.ts'

describe.each(agentRuns)('$agent $version', ({ agent, versions }) => {
  it('goes on with a session it had lost', { timeout: 200_000 }, () =>
    withBench(versions, async (bench) => {
      const { app } = bench
      await bench.offshoot('hooks', 'install', '--agent', agent)
      const talker = headless(bench, agent)
      const prompts = ['remember this', agent === 'claude' ? 'look [[bash:cat notes.txt]]' : 'look [[shell: cat notes.txt]]']
      for (const prompt of prompts) await talker.say(prompt)
      await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
      const { session } = await app.resolve(talker.sessionId())
      const last = (await app.listTurns(session)).at(-1)?.id ?? ''
      const bytes = readFileSync(session.path)

      rmSync(session.path)
      const gone = (await app.resolve(session.id)).session
      expect(gone.state).toBe('gone')
      await app.putBack(gone)
      expect(readFileSync(session.path).equals(bytes)).toBe(true)

      rmSync(session.path)
      await bench.offshoot('fork', session.id, '--at', '1', '--terminal', 'none', '--yes')
      expect(readFileSync(session.path).equals(bytes)).toBe(true)

      const same = { agent, sessionId: session.id, prompts }
      const command = { argv: ['claude', `--resume=${session.id}`], cwd: bench.work, env: {} }
      expect(await askedDifference(bench, same, last, { sessionId: session.id, command }, 'and on it goes')).toBe('')
    }),
  )
})
