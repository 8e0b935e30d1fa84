// Sessions that did not end well: killed, refused by the API, rewound.
import { randomUUID } from 'node:crypto'
import { waitUntil } from '../../lib/wait.ts'
import type { Bench } from '../bench.ts'
import { answerTo, both, type Made, newer, older, type Scenario, turns, waitForLine } from './scenario.ts'

/**
 * Two turns, of which the second is killed once its transcript holds the given text. Its state is `running`: the file of a dead
 * agent looks like that of a busy one, only the list of live sessions tells them apart.
 */
async function killed(bench: Bench, prompt: string, once: (line: string) => boolean): Promise<Made> {
  const sessionId = await bench.talk(['before the crash'])
  const running = bench.claude.startPrint(prompt, { flags: ['--resume', sessionId] })
  await waitForLine(bench, sessionId, `the crash point of "${prompt}"`, once)
  await waitUntil('the model to be asked', () => bench.api.requests.some((request) => request.prompt.includes(prompt)))
  await running.killHard()
  return { sessionId, turns: [{ prompt: 'before the crash' }, { prompt, state: 'running' }] }
}

async function failed(bench: Bench, status: number): Promise<Made> {
  const sessionId = await bench.talk(['before the failure'])
  const prompt = `fail now [[error:${status}]]`
  const { code } = await bench.claude.tryPrint(prompt, { flags: ['--resume', sessionId] })
  if (code !== 1) throw new Error(`an API failure should end with 1, not ${code}`)
  await bench.talk(['after the failure'], sessionId)
  return { sessionId, turns: [{ prompt: 'before the failure' }, { prompt, state: 'failed' }, { prompt: 'after the failure' }] }
}

export const interruptedScenarios: readonly Scenario[] = [
  {
    name: 'killed before the answer',
    always: newer,
    make: (bench) =>
      killed(bench, 'never answered [[hang]]', (line) => line.includes('"type":"user"') && line.includes('never answered')),
  },
  {
    name: 'killed in a tool',
    always: both,
    make: (bench) =>
      killed(
        bench,
        'a tool that hangs [[bash:echo started; sleep 30]]',
        (line) => line.includes('"tool_use"') && line.includes('sleep 30'),
      ),
  },
  {
    name: 'killed between parallel tools',
    always: newer,
    make: (bench) =>
      killed(
        bench,
        'some tools hang [[parallel:echo a; sleep 30|cat notes.txt|echo b; sleep 31]]',
        (line) => line.includes('"tool_result"') && line.includes('first note'),
      ),
  },
  {
    name: 'killed and gone on',
    always: older,
    async make(bench) {
      const prompt = 'a tool that hangs [[bash:echo started; sleep 30]]'
      const made = await killed(bench, prompt, (line) => line.includes('"tool_use"') && line.includes('sleep 30'))
      await bench.talk(['after the crash'], made.sessionId)
      return { ...made, turns: [{ prompt: 'before the crash' }, { prompt, state: 'interrupted' }, { prompt: 'after the crash' }] }
    },
  },
  {
    name: 'killed on the first prompt',
    always: older,
    async make(bench) {
      const sessionId = randomUUID()
      const prompt = 'never answered [[hang]]'
      const running = bench.claude.startPrint(prompt, { flags: ['--session-id', sessionId] })
      await waitForLine(bench, sessionId, 'the prompt', (line) => line.includes('"type":"user"'))
      await running.killHard()
      return { sessionId, turns: [{ prompt, state: 'running' }] }
    },
  },
  { name: 'API failure 400', always: newer, make: (bench) => failed(bench, 400) },
  { name: 'API failure 529', always: older, make: (bench) => failed(bench, 529) },
  {
    name: 'rewound in place',
    always: older,
    async make(bench) {
      const sessionId = await bench.talk(['keep this', 'drop this [[bash:cat notes.txt]]', 'drop this too'])
      const at = answerTo(bench, sessionId, 'keep this')
      await bench.claude.print('instead', { flags: ['--resume', sessionId, '--resume-session-at', at] })
      return { sessionId, turns: turns('keep this', 'instead'), deadTurns: ['drop this [[bash:cat notes.txt]]', 'drop this too'] }
    },
  },
]
