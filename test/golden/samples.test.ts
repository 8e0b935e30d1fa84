// Every recorded session of both agents over HTTP: its turns, its messages, and a fork in the middle of it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../src/cli/demo/sandbox.ts'
import { createPlace, type Place, type ServedPlace } from './place.ts'

interface Sample {
  readonly agent: string
  readonly name: string
  readonly text: string
  readonly id: string
}

const samples = ['claude', 'codex'].flatMap((agent) => samplesOf(agent))

let place: Place
let server: ServedPlace
beforeAll(async () => {
  const known = samples.flatMap(({ text }) => text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? [])
  place = await createPlace({ prepare: addSamples, known: [...new Set(known)] })
  server = await place.serve(join(place.home, 'work'))
}, 60_000)
afterAll(() => place.end())

test.each(samples)('$agent $name', async ({ agent, name, id }) => {
  place.forgetIds()
  const turns = await server.ask('GET', `/session/${id}/turns?dead=true`)
  const messages = await server.ask('GET', `/session/${id}/message?limit=500&tools=true`)
  const count = (turns.body as { turns?: readonly unknown[] }).turns?.length ?? 0
  const request = { message_index: Math.max(1, Math.floor(count / 2)), code: 'none', strategy: 'prefix' }
  const fork = await server.ask('POST', `/session/${id}/fork`, request)
  const answers = `${JSON.stringify({ turns, messages, request, fork }, null, 1)}\n`
  await expect(answers).toMatchFileSnapshot(`answers/${agent}-${name.replace('.jsonl', '')}.json`)
})

function samplesOf(agent: string): Sample[] {
  const folder = fileURLToPath(new URL(`../../src/agents/${agent}/samples`, import.meta.url))
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const seen = new Set<string>()
  return names.map((name) => {
    const recorded = readFileSync(join(folder, name), 'utf8')
    const id = idOf(recorded)
    // Some were recorded of one session at two moments: here they are two.
    const ownId = seen.has(id) ? `${id.slice(0, -2)}${String(seen.size).padStart(2, '0')}` : id
    seen.add(id)
    return { agent, name, text: recorded.replaceAll(id, ownId), id: ownId }
  })
}

function idOf(text: string): string {
  const lines = text.split('\n').filter(Boolean)
  const parsed = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const { sessionId } = parsed.find((line) => typeof line.sessionId === 'string' && 'parentUuid' in line) ?? {}
  const [first] = parsed as { payload?: { id: string } }[]
  return String(sessionId ?? first?.payload?.id)
}

/** With the folders they were recorded in moved into the home. */
function addSamples({ home, vars }: Sandbox): void {
  for (const { agent, name, text, id } of samples) {
    const file =
      agent === 'claude'
        ? join(vars.CLAUDE_CONFIG_DIR ?? '', 'projects', name.replaceAll(/\W/g, '-'), `${id}.jsonl`)
        : join(vars.CODEX_HOME ?? '', 'sessions', '2026', '11', '15', `rollout-2026-11-15T06-58-00-${id}.jsonl`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text.replaceAll('/home/dev/work', join(home, 'work')))
    for (const [, cwd = ''] of text.matchAll(/"cwd":"\/home\/dev\/work([^"]*)"/g))
      mkdirSync(join(home, 'work', cwd), { recursive: true })
  }
}
