// A stand-in for an agent in a pane, where the agent's protocol does not matter: a small program that shows its state and its
// composer, and misbehaves as it is told. What reaches it is written down byte for byte.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import { noAbilities } from '../../src/agents/agent-env.ts'
import { claude } from '../../src/agents/claude/index.ts'
import type { PaneLook } from '../../src/agents/runs.ts'
import { AppError } from '../../src/model/error.ts'

export type Manners =
  | 'good'
  /** The first Enter is lost. */
  | 'loses-enter'
  /** No Enter is ever taken, and the text stays. */
  | 'deaf'
  /** A question comes up as soon as text is pasted. */
  | 'asks-at-paste'
  /** Somebody has typed something already. */
  | 'has-draft'
  /** Asks from the start. */
  | 'asks'
  /** Takes what it is sent first only some seconds later. */
  | 'late'
  | 'ends-at-once'
  /** Has ended, and its pane goes on a moment longer. */
  | 'ends-slowly'
  | 'never-ready'
  /** On the screen that leaves nothing behind. */
  | 'full-screen'

const program = `#!${process.execPath}
import { appendFileSync } from 'node:fs'
const { FAKE_MANNERS: manners, FAKE_LOG: log } = process.env
if (manners === 'ends-at-once') { console.log('I cannot be run here.'); process.exit(7) }
if (manners === 'ends-slowly') {
  console.log('STATE ended\\nI cannot be run here.')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  process.exit(7)
}
let state = manners === 'asks' ? 'waiting' : manners === 'never-ready' ? 'starting' : 'idle'
let composer = manners === 'has-draft' ? 'half a thought' : ''
let lost = 0
const draw = () => process.stdout.write('\\u001b[2J\\u001b[HSTATE ' + state + '\\r\\nCOMPOSER ' + JSON.stringify(composer) + '\\r\\n')
process.stdin.setRawMode(true)
process.stdin.setEncoding('utf8')
process.stdout.write('\\u001b[?2004h')
if (manners === 'full-screen') process.stdout.write('\\u001b[?1049h')
let pasting = null
let until = null
process.stdin.on('data', (data) => {
  if (manners !== 'late') return take(data)
  until ??= Date.now() + 5500
  setTimeout(take, Math.max(0, until - Date.now()), data)
})
function take(data) {
  appendFileSync(log, JSON.stringify(data) + '\\n')
  for (const part of data.split(/(\\u001b\\[20[01]~|\\r|\\u001b)/)) {
    if (part === '\\u001b[200~') pasting = ''
    else if (part === '\\u001b[201~') {
      composer += pasting
      pasting = null
      if (manners === 'asks-at-paste') state = 'waiting'
    } else if (pasting !== null) pasting += part
    else if (part === '\\r') enter()
    else if (part === '\\u001b' && state === 'busy') state = 'idle'
  }
  draw()
}
function enter() {
  if (state === 'waiting') { appendFileSync(log, '"APPROVED"\\n'); state = 'idle'; return }
  if (manners === 'deaf' || (manners === 'loses-enter' && lost++ === 0) || composer === '') return
  appendFileSync(log, JSON.stringify('TOOK ' + composer) + '\\n')
  composer = ''
  state = 'busy'
}
draw()
`

/** Puts the program on a PATH of its own. */
export function installFake(bin: string): void {
  mkdirSync(bin, { recursive: true })
  const file = join(bin, 'fake-agent')
  writeFileSync(file, program)
  chmodSync(file, 0o755)
  writeFileSync(join(bin, 'package.json'), '{"type":"module"}')
}

export function received(log: string): string[] {
  return readFileSync(log, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as string)
}

function look(screen: readonly string[]): PaneLook {
  const state = /^STATE (\w+)/.exec(screen[0] ?? '')?.[1] ?? 'starting'
  const composer = /^COMPOSER (".*")/.exec(screen[1] ?? '')?.[1]
  return {
    state: state as PaneLook['state'],
    question: state === 'waiting' ? 'May I?' : null,
    composer: composer === undefined ? null : (JSON.parse(composer) as string),
    from: 'screen',
  }
}

export const fakeAgent: Agent = {
  ...claude,
  discover: () => [],
  live: () => [],
  abilities: async () => ({ ...noAbilities, installed: true, version: '1', fork: true, forkAtTurn: true }),
  command: ({ cwd, prompt }) => ({ argv: ['fake-agent', ...(prompt === undefined ? [] : ['--', prompt])], cwd, env: {} }),
  runs: async () => ({
    pane: {
      look: (_env, { screen }) => look(screen),
      literal: (prompt) => prompt,
      flags: [],
      takesAllowedTools: false,
      unset: [],
      describeCall: (tool) => ({ kind: 'tool', summary: tool }),
    },
    converse: () => Promise.reject(new AppError('refused', 'It has no machine interface.')),
    baseCommand: (command) => command,
    sessionIdIn: () => null,
    commandWith: (command) => command,
  }),
}
