// A hook program that only writes down what it is told. Its folder has a name that no shell takes for one word.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseHookEvent } from '../../../src/agents/hook-events.ts'
import type { HookCommand, HookEvent } from '../../../src/agents/hooks.ts'
import type { AgentId } from '../../../src/model/session.ts'
import type { Sandbox } from '../lib/sandbox.ts'

export interface Told {
  /** Words behind the program's name. */
  readonly args: readonly string[]
  readonly payload: Readonly<Record<string, unknown>>
  readonly event: HookEvent | null
}

export interface Recorder {
  readonly command: HookCommand
  /** In the order it was told. */
  told(): Told[]
  /** `prompt one, turn_end, ...`: kinds of the events, of one session where it is named. */
  kinds(sessionId?: string): string[]
}

const program = `
import { appendFileSync, readFileSync } from 'node:fs'
const args = process.argv.slice(2)
const payload = JSON.parse(args[1] ?? readFileSync(0, 'utf8'))
appendFileSync(new URL('./told.jsonl', import.meta.url), JSON.stringify({ args, payload }) + '\\n')
process.stdout.write('this must reach nobody')
process.stderr.write('nor this')
process.exitCode = 2
`

export function createRecorder(sandbox: Sandbox, agent: AgentId): Recorder {
  const folder = sandbox.folder(`it's a "hook" $HOME ${agent}`)
  const path = join(folder, 'hook.mjs')
  const log = join(folder, 'told.jsonl')
  writeFileSync(path, program)
  const told = (): Told[] =>
    (existsSync(log) ? readFileSync(log, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Pick<Told, 'args' | 'payload'>)
      .map((each) => ({ ...each, event: parseHookEvent(agent, each.payload) }))
  return {
    command: { argv: [process.execPath, path] },
    told,
    kinds: (sessionId) =>
      told()
        .flatMap(({ event }) => event ?? [])
        .filter((event) => sessionId === undefined || event.sessionId === sessionId)
        .map(({ kind, prompt }) => (kind === 'prompt' ? `prompt ${prompt}` : kind)),
  }
}
