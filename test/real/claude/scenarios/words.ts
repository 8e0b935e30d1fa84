// Sessions in which the user's words stand elsewhere than in a prompt, or something else stands where a prompt would.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Bench } from '../bench.ts'
import { both, type Scenario, turns } from './scenario.ts'

type Line = Record<string, unknown>

/** Rewrites the transcript as an older version would have written it, while nothing has it open. */
function rewrite(bench: Bench, sessionId: string, change: (line: Line) => Line[]): void {
  const path = bench.transcript(sessionId)
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const changed = lines.flatMap((line) => change(JSON.parse(line) as Line)).map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(path, changed.join(''))
}

function isResult({ type, message }: Line): boolean {
  return type === 'user' && JSON.stringify(message).includes('"tool_result"')
}

const stop = `echo '{"continue":false,"stopReason":"not today"}'`
const tool = 'look at it [[bash:cat notes.txt]]'

export const wordScenarios: readonly Scenario[] = [
  {
    name: 'a prompt stopped by a hook',
    always: both,
    async make(bench) {
      const sessionId = await bench.talk(['first words'])
      const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: stop }] }] }
      await bench.claude.print('stopped words', { flags: ['--resume', sessionId], settings: { hooks } })
      await bench.talk(['other words'], sessionId)
      return {
        sessionId,
        turns: [
          { prompt: 'first words' },
          { prompt: 'stopped words', state: 'interrupted', withheld: true },
          { prompt: 'other words' },
        ],
      }
    },
  },
  {
    // Versions up to 2.1.81 let the user add words to the answer that allows a tool.
    name: 'words beside a result',
    always: both,
    async make(bench) {
      const sessionId = await bench.talk([tool])
      rewrite(bench, sessionId, (line) => {
        if (!isResult(line)) return [line]
        const { content } = line.message as { content: unknown[] }
        const words = { type: 'text', text: 'and tell me what it is' }
        return [{ ...line, message: { role: 'user', content: [...content, words] } }]
      })
      await bench.talk(['and then?'], sessionId)
      return { sessionId, turns: turns(tool, 'and then?'), said: [tool, 'and tell me what it is', 'and then?'] }
    },
  },
  {
    // Up to 2.1.81 a prompt typed while a tool ran stands in the queue's notes only, and is lost on resume.
    name: 'words only the queue holds',
    always: both,
    async make(bench) {
      const sessionId = await bench.talk([tool])
      rewrite(bench, sessionId, (line) => {
        if (!isResult(line)) return [line]
        const note = { type: 'queue-operation', timestamp: line.timestamp, sessionId }
        return [{ ...note, operation: 'enqueue', content: 'and be quick' }, { ...note, operation: 'remove' }, line]
      })
      await bench.talk(['and then?'], sessionId)
      return { sessionId, turns: turns(tool, 'and then?'), said: [tool, 'and be quick', 'and then?'] }
    },
  },
]
