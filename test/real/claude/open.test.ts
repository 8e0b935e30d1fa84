// A session that is open in the terminal, with hooks that take their time: what the file says before Claude Code has ended and
// written its last lines. Every prompt is live, a fork at the last turn holds the last turn, and the CLI itself, which resumes a
// copy of the file as it is at that moment, sends what we read.
import { randomUUID } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { removeFolder } from '../../setup/remove-folder.ts'
import { claudeVersions } from '../lib/agents.ts'
import { compareHistory, fromEntries } from '../lib/history.ts'
import { waitUntil } from '../lib/wait.ts'
import { type Bench, createBench } from './bench.ts'
import { claudeRules, fromMessages } from './received.ts'
import { startTyping } from './scenarios/typed.ts'

const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }]
/** Claude Code writes which row it is at whenever it has nothing else to do: a slow hook makes that the answer itself. */
const settings = {
  hooks: {
    SessionStart: hook('true'),
    UserPromptSubmit: hook('echo Context from the prompt hook.'),
    PostToolUse: hook('true'),
    Stop: hook('sleep 1.5'),
  },
}

it.each(claudeVersions)('claude %s: an open session is read as it will be resumed', { timeout: 240_000 }, async (version) => {
  const bench = await createBench(version)
  try {
    const typing = await startTyping(bench, settings)
    const said: string[] = []
    for (const step of [
      'one [[bash:cat notes.txt]]',
      '/compact',
      'two [[bash:cat notes.txt]]',
      'three [[bash:cat README.md]]',
      'four',
    ]) {
      if (step === '/compact') {
        await typing.terminal.submit(step)
        await typing.terminal.waitFor('Compacted (ctrl+o')
      } else {
        await typing.say(step)
        said.push(step)
        await hasEnded(bench, typing.sessionId, said.length)
      }
      await checkNow(bench, typing.sessionId, said, step)
    }
    await typing.exit()
    await checkNow(bench, typing.sessionId, said, 'the end')
  } finally {
    await bench.sandbox.dispose()
  }
})

/** The marks of a turn's end are written when its hooks have ended. */
async function hasEnded(bench: Bench, sessionId: string, turns: number): Promise<void> {
  const ends = () => bench.lines(sessionId).filter(({ subtype }) => subtype === 'turn_duration')
  await waitUntil(`the end of turn ${turns}`, () => ends().length === turns)
}

async function checkNow(bench: Bench, sessionId: string, said: readonly string[], when: string): Promise<void> {
  const { agentEnv, work } = bench.sandbox
  const copyId = randomUUID()
  const path = bench.transcript(sessionId)
  const copy = join(dirname(path), `${copyId}.jsonl`)
  copyFileSync(path, copy)
  const find = (id: string) => {
    const file = [...claude.discover(agentEnv)].find((each) => each.id === id)
    if (file === undefined) throw new Error(`${id} is not discovered`)
    return file
  }
  const file = find(copyId)
  const { turns, deadTurns } = await claude.summarise(file, agentEnv)
  expect
    .soft(
      turns.map(({ prompt }) => prompt),
      `after ${when}`,
    )
    .toEqual(said)
  expect.soft(deadTurns, `after ${when}`).toEqual([])

  const target = { sessionId: randomUUID(), cwd: work, title: 'Fork of it', forkedAt: 0 }
  const child = await claude.writePrefix(file, agentEnv, { kind: 'tip' }, target)
  const { turns: forked } = await claude.summarise(find(child.sessionId), agentEnv)
  expect.soft(forked.at(-1)?.prompt, `a fork after ${when}`).toBe(said.at(-1))

  const next = `what have we got after ${when}?`
  const ours = await fromEntries(claude.read(file, agentEnv, { view: 'context' }), { withSystem: true })
  await bench.claude.print(next, { flags: ['--resume', copyId] })
  const request = bench.api.requests.find(
    ({ kind, prompt, sessionId: of }) => kind === 'turn' && of === copyId && prompt.endsWith(next),
  )
  const { diff } = compareHistory([...ours, { role: 'user', text: next }], fromMessages(request?.messages ?? []), claudeRules)
  expect.soft(diff, `after ${when}`).toBe('')
  for (const made of [copy, ...child.created]) removeFolder(made)
}
