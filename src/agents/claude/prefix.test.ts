// What a fork's lines look like, where the source's are not as the CLI writes them today.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Pair } from '../reading.ts'
import { claude } from './index.ts'
import {
  at,
  call,
  chainLine,
  notes,
  prompt,
  reply,
  result,
  sessionFile,
  type TestFolder,
  type TestLine,
  testFolder,
  testId,
} from './lines.testkit.ts'

const childId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const anotherId = 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const origin = { sessionId: 'the-grandparent', messageUuid: uuid(99) }

let folder: TestFolder
let home: string
beforeEach(() => {
  folder = testFolder()
  home = mkdtempSync(join(tmpdir(), 'offshoot-prefix-'))
})
afterEach(() => {
  folder.remove()
  rmSync(home, { recursive: true, force: true })
})

async function fork(text: string, sessionId = childId) {
  const source = folder.write(text)
  const env = { home, vars: {} }
  const target = { sessionId, cwd: home, title: 'A fork', forkedAt: 0 }
  const { path } = await claude.writePrefix(source, env, { kind: 'tip' }, target)
  if (path === null) throw new Error('nothing was written')
  const child = { ...sessionFile(path), id: sessionId }
  const lines = () => readFileSync(path, 'utf8').trimEnd().split('\n')
  return { child, lines, parse: () => lines().map((line) => JSON.parse(line) as TestLine), pairs: () => both(source, child) }
}

async function both(...[source, child]: [ReturnType<typeof sessionFile>, ReturnType<typeof sessionFile>]): Promise<Pair[]> {
  const pairs: Pair[] = []
  for await (const pair of claude.readBoth?.(source, child, { home, vars: {} }, { byAgent: false }) ?? []) pairs.push(pair)
  return pairs
}

const conversation = [
  prompt(uuid(1), null, 'go on'),
  call(uuid(2), uuid(1), 'm1', 'tool-1'),
  result(uuid(3), uuid(2), 'tool-1', 'done'),
  reply(uuid(4), uuid(3), 'm2', 'finished'),
]
const json = (lines: readonly TestLine[]) => lines.map((line) => JSON.stringify(line))

/** Every way a line may be written, from the same conversation. */
const writings: Record<string, (line: string) => string> = {
  'as today': (line) => line,
  'with blanks behind': (line) => `${line}  `,
  'with the line ends of Windows': (line) => `${line}\r`,
  'with an id in escapes': (line) => line.replace(`"${testId}"`, `"\\u0031${testId.slice(1)}"`),
  'with an id that ends in a quote': (line) => line.replace(`"${testId}"`, '"a\\"","x":"b"'),
  'without an id': (line) => line.replace(`"sessionId":"${testId}",`, ''),
  'with an origin in front of the id': (line) =>
    line.replace('"sessionId"', `"forkedFrom":${JSON.stringify(origin)},"sessionId"`),
  'with an origin behind the id': (line) => line.replace('"version"', `"forkedFrom":${JSON.stringify(origin)},"version"`),
  'with the parent elsewhere': (line) => line.replace(/^\{("parentUuid":[^,]+),(.*)\}$/, '{$2,$1}'),
}

test.each(Object.entries(writings))('lines %s', async (_, write) => {
  const text = json(conversation).map(write)
  const { parse, pairs } = await fork(`${text.join('\n')}\n`)
  const written = parse().filter((line) => 'uuid' in line)
  expect(written).toEqual(
    text.map((line, i) => ({
      ...(JSON.parse(line) as TestLine),
      sessionId: childId,
      forkedFrom: { sessionId: testId, messageUuid: uuid(i + 1) },
    })),
  )
  expect(await pairs()).toEqual([{ kind: 'same', messages: 3, openCalls: 0 }])
})

describe('a fork is one chain', () => {
  const aside = (n: number, parent: string | null, second: number, type = 'progress') =>
    chainLine(uuid(n), parent, { ...notes['a progress line'], type }, second)
  const compaction = (n: number, logicalParentUuid: string | null, second: number) =>
    chainLine(uuid(n), null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid }, second)

  /** The lines a reader finds that knows nothing but parents, from the one `last-prompt` names to the first. */
  function walk(lines: readonly TestLine[]): string[] {
    const byUuid = new Map(lines.filter((line) => 'uuid' in line).map((line) => [line.uuid, line]))
    const path: string[] = []
    let line = byUuid.get(lines.find(({ type }) => type === 'last-prompt')?.leafUuid)
    while (line !== undefined) {
      path.unshift(String(line.uuid))
      const { parentUuid, logicalParentUuid } = line
      line = byUuid.get(parentUuid ?? logicalParentUuid)
    }
    return path
  }

  const sources: Record<string, { lines: readonly TestLine[]; chain: readonly number[] }> = {
    'through lines that only show progress, however long the hooks took': {
      lines: [
        prompt(uuid(1), null, 'one', at(0)),
        aside(2, uuid(1), 1),
        reply(uuid(3), uuid(2), 'm1', 'first', at(8)),
        aside(4, uuid(3), 9),
        aside(5, uuid(4), 10, 'a-type-of-tomorrow'),
        prompt(uuid(6), uuid(5), 'two', at(60)),
        reply(uuid(7), uuid(6), 'm2', 'second', at(61)),
      ],
      chain: [1, 3, 6, 7],
    },
    'that begins below a line that shows progress': {
      lines: [aside(1, null, 0), prompt(uuid(2), uuid(1), 'one'), reply(uuid(3), uuid(2), 'm1', 'first')],
      chain: [2, 3],
    },
    'over a gap the CLI bridges': {
      lines: [
        prompt(uuid(1), null, 'one', at(0)),
        reply(uuid(2), uuid(1), 'm1', 'first', at(1)),
        prompt(uuid(3), 'lost', 'two', at(4)),
      ],
      chain: [1, 2, 3],
    },
    'up to a gap the CLI does not bridge': {
      lines: [
        prompt(uuid(1), null, 'one', at(0)),
        prompt(uuid(2), 'lost', 'two', at(9)),
        reply(uuid(3), uuid(2), 'm1', 'second', at(10)),
      ],
      chain: [2, 3],
    },
    'across a compaction whose logical parent is not in the file': {
      lines: [
        prompt(uuid(1), null, 'one', at(0)),
        reply(uuid(2), uuid(1), 'm1', 'first', at(1)),
        compaction(3, 'lost', 300),
        prompt(uuid(4), uuid(3), 'what was said so far', { isCompactSummary: true, ...at(300) }),
        reply(uuid(5), uuid(4), 'm2', 'second', at(301)),
      ],
      chain: [1, 2, 3, 4, 5],
    },
    'across a compaction that names a line that shows progress': {
      lines: [
        prompt(uuid(1), null, 'one'),
        aside(2, uuid(1), 0),
        compaction(3, uuid(2), 300),
        prompt(uuid(4), uuid(3), 'what was said so far', { isCompactSummary: true }),
      ],
      chain: [1, 3, 4],
    },
    'with all parallel calls, of which the next message hangs on the first': {
      lines: [
        prompt(uuid(1), null, 'go'),
        call(uuid(2), uuid(1), 'm1', 'x1'),
        call(uuid(3), uuid(2), 'm1', 'x2'),
        call(uuid(4), uuid(3), 'm1', 'x3'),
        result(uuid(5), uuid(4), 'x3', 'three'),
        result(uuid(6), uuid(3), 'x2', 'two'),
        chainLine(uuid(7), uuid(6), notes['hook context']),
        result(uuid(8), uuid(2), 'x1', 'one'),
        reply(uuid(9), uuid(8), 'm2', 'done'),
      ],
      chain: [1, 2, 3, 4, 5, 6, 8, 7, 9],
    },
    'with what hangs side by side below the last message': {
      lines: [
        prompt(uuid(1), null, 'one'),
        reply(uuid(2), uuid(1), 'm1', 'first'),
        chainLine(uuid(3), uuid(2), notes['a stop_hook_summary'], 2),
        chainLine(uuid(4), uuid(2), notes['a turn_duration'], 1),
      ],
      chain: [1, 2, 4, 3],
    },
  }

  test.each(Object.entries(sources))('%s', async (_, { lines, chain }) => {
    const { parse, pairs } = await fork(`${json(lines).join('\n')}\n`)
    const written = parse()
    expect(walk(written)).toEqual(chain.map(uuid))
    expect(written.filter((line) => 'uuid' in line)).toHaveLength(chain.length)
    const [first] = await pairs()
    expect(await pairs()).toEqual([{ ...first, kind: 'same' }])
    // Nothing is left to mend or to re-attach for whoever reads the child.
    const again = await fork(`${json(written).join('\n')}\n`, anotherId)
    const parents = (all: readonly TestLine[]) => all.filter((line) => 'uuid' in line).map(({ parentUuid }) => parentUuid)
    expect(parents(again.parse())).toEqual(parents(written))
  })

  test('whose lines begin with another field', async () => {
    const lines = sources['through lines that only show progress, however long the hooks took']?.lines ?? []
    const moved = json(lines).map(writings['with the parent elsewhere'] ?? String)
    const { parse, pairs } = await fork(`${moved.join('\n')}\n`)
    expect(walk(parse())).toEqual([1, 3, 6, 7].map(uuid))
    expect(await pairs()).toEqual([{ kind: 'same', messages: 4, openCalls: 0 }])
  })
})

test('a uuid that is none comes along, and what stands beside the messages up to the last one kept', async () => {
  const odd = 'not "a" uuid'
  const lines = [
    { type: 'mode', mode: 'first', sessionId: testId },
    prompt(odd, null, 'go on'),
    { type: 'mode', mode: 'second', sessionId: testId },
    { type: 'content-replacement', replacements: [], sessionId: testId },
    reply(uuid(2), odd, 'm1', 'done'),
    { type: 'mode', mode: 'third', sessionId: testId },
  ]
  const { parse, pairs } = await fork(`${json(lines).join('\n')}\n`)
  expect(parse().map(({ type, mode, uuid: id }) => [type, mode ?? id])).toEqual([
    ['user', odd],
    ['content-replacement', undefined],
    ['assistant', uuid(2)],
    ['mode', 'second'],
    ['custom-title', undefined],
    ['last-prompt', undefined],
  ])
  expect(await pairs()).toEqual([{ kind: 'same', messages: 2, openCalls: 0 }])
})

test('a call without its result is counted, one whose result went astray too', async () => {
  const open = await fork(`${json(conversation.slice(0, 2)).join('\n')}\n`)
  expect(await open.pairs()).toEqual([{ kind: 'same', messages: 2, openCalls: 1 }])
  rmSync(open.child.path)
  const astray = [...conversation.slice(0, 2), result(uuid(3), uuid(2), 'tool-2', 'done')]
  const { pairs } = await fork(`${json(astray).join('\n')}\n`)
  expect(await pairs()).toEqual([{ kind: 'same', messages: 2, openCalls: 1 }])
})

test('a line that is no JSON any more is not taken for the one it was', async () => {
  const { child, lines, pairs } = await fork(`${json(conversation).join('\n')}\n`)
  const broken = lines().map((line) => (line.includes('finished') ? line.replace('"version"', '"version') : line))
  writeFileSync(child.path, `${broken.join('\n')}\n`)
  expect((await pairs()).some(({ kind }) => kind === 'told')).toBe(true)
})

test('what the child has gone on with comes after the same', async () => {
  const { child, pairs } = await fork(`${json(conversation).join('\n')}\n`)
  appendFileSync(child.path, `${JSON.stringify(prompt(uuid(9), uuid(4), 'and then?', { sessionId: childId }))}\n`)
  expect(await pairs()).toMatchObject([
    { kind: 'same', messages: 3 },
    { kind: 'told', parent: [], child: [{ text: 'and then?' }] },
  ])
})
