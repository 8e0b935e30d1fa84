// Sessions of every shape a user can give them: parallel tools that end in any order, compactions, rewinds, checkpoints old and
// new, lines of subagents, hooks' lines below anything, prompts typed while tools run, words beside results, messages below lines
// that only show progress.
import fc from 'fast-check'
import { call, chainLine, prompt, reply, result, type TestLine } from './lines.testkit.ts'

const stepArbitrary = fc.record({
  kind: fc.constantFrom(
    'answer',
    'tools',
    'tools',
    'aside',
    'progress',
    'compact',
    'rewind',
    'checkpoint',
    'sidechain',
    'failed',
    'queue',
    'queue',
  ),
  size: fc.integer({ min: 1, max: 3 }),
  pick: fc.nat(1000),
  long: fc.boolean(),
})

export type SessionStep = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never

export const sessionSteps: fc.Arbitrary<SessionStep[][]> = fc.array(fc.array(stepArbitrary, { maxLength: 4 }), {
  minLength: 1,
  maxLength: 7,
})

/** One turn for each list of steps. */
export function linesOf(turns: readonly (readonly SessionStep[])[]): TestLine[] {
  const lines: TestLine[] = []
  let count = 0
  let leaf: string | null = null
  const ends: string[] = []
  const add = (line: TestLine): string => {
    lines.push({ ...line, timestamp: new Date(Date.UTC(2026, 0, 1) + lines.length * 700).toISOString() })
    return String(line.uuid)
  }
  const name = () => {
    count += 1
    return `u${count}`
  }
  const chained = (make: (uuid: string, parent: string) => TestLine) => {
    leaf = add(make(name(), leaf ?? ''))
  }
  for (const [at, steps] of turns.entries()) {
    leaf = add(prompt(name(), leaf, `prompt ${at}`))
    for (const { kind, size, pick, long } of steps) {
      const text = long ? 'long '.repeat(300) : 'short'
      if (kind === 'answer') chained((uuid, parent) => reply(uuid, parent, `m${uuid}`, text))
      else if (kind === 'failed') chained((uuid, parent) => reply(uuid, parent, `m${uuid}`, text, { isApiErrorMessage: true }))
      else if (kind === 'aside') add(chainLine(name(), anyOf(lines, pick, leaf), localCommand(text)))
      else if (kind === 'progress') chained((uuid, parent) => chainLine(uuid, parent, { type: 'progress', data: {} }))
      else if (kind === 'sidechain') add({ ...prompt(name(), null, 'of a subagent'), isSidechain: true })
      else if (kind === 'tools') leaf = addTools(size, pick, text)
      else if (kind === 'rewind') leaf = ends[pick % Math.max(1, ends.length)] ?? leaf
      else if (kind === 'queue') noteQueue(pick, text)
      else if (kind === 'checkpoint') lines.push(checkpoint(anyOf(lines, pick % 2 === 0 ? lines.length - 1 : pick, leaf), long))
      else compact(pick)
    }
    if (leaf !== null) ends.push(leaf)
  }
  return lines

  function addTools(size: number, pick: number, text: string): string {
    const message = `m${name()}`
    let parent = leaf ?? ''
    const calls = Array.from({ length: size }, () => {
      const uuid = name()
      parent = add(call(uuid, parent, message, `tool-${uuid}`))
      return uuid
    })
    const order = calls.map((uuid, i) => [(pick * (i + 7)) % 11, uuid] as const).sort(([a], [b]) => a - b)
    const results = order.map(([, uuid], i) => {
      if (i === pick % 4) noteQueue(pick, text)
      return add(
        pick % 5 === i ? withWords(result(name(), uuid, `tool-${uuid}`, text)) : result(name(), uuid, `tool-${uuid}`, text),
      )
    })
    return results.at(-1) ?? parent
  }

  function noteQueue(pick: number, text: string): void {
    const operation = ['enqueue', 'enqueue', 'remove', 'remove', 'dequeue', 'popAll'][pick % 6]
    const content = pick % 7 === 0 ? '<task-notification>' : `typed ${pick} ${text}`
    const timestamp = new Date(Date.UTC(2026, 0, 1) + lines.length * 700).toISOString()
    lines.push({ type: 'queue-operation', operation, timestamp, ...(operation === 'enqueue' && { content }) })
    if (pick % 6 === 1) lines.push({ type: 'queue-operation', operation: 'remove', timestamp })
  }

  function compact(pick: number): void {
    const kept = pick % 3 === 0 ? lines.slice(-2).flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : [])) : []
    const uuid = name()
    const anchorUuid = pick % 2 === 0 ? uuid : `u${count + 1}`
    const compactMetadata = kept.length === 0 ? {} : { preservedMessages: { anchorUuid, uuids: kept } }
    const logicalParentUuid = pick % 5 === 0 ? 'never written' : leaf
    add(chainLine(uuid, null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid, compactMetadata }))
    leaf = add(prompt(name(), uuid, 'what was said so far', { isCompactSummary: true }))
  }
}

/** The user wrote something when asked for permission. */
function withWords(line: TestLine): TestLine {
  const { content } = line.message as { content: TestLine[] }
  return { ...line, message: { role: 'user', content: [...content, { type: 'text', text: 'and test it' }] } }
}

function localCommand(content: string): TestLine {
  return { type: 'system', subtype: 'local_command', content: `<local-command-stdout>${content}</local-command-stdout>` }
}

function checkpoint(leafUuid: string | null, explicit: boolean): TestLine {
  return { type: 'last-prompt', leafUuid, ...(explicit && { explicit }) }
}

/** One of the last lines of the tree, or the leaf. */
function anyOf(lines: readonly TestLine[], pick: number, leaf: string | null): string | null {
  const near = lines.slice(-6).flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : []))
  return near[pick % Math.max(1, near.length)] ?? leaf
}
