// What a fork's lines look like, where the source's are not as the CLI writes them today.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pair } from '../reading.ts'
import { claude } from './index.ts'
import { call, prompt, reply, result, sessionFile, type TestFolder, type TestLine, testFolder, testId } from './lines.testkit.ts'

const childId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
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

async function fork(text: string) {
  const source = folder.write(text)
  const env = { home, vars: {} }
  const target = { sessionId: childId, cwd: home, title: 'A fork', forkedAt: 0 }
  const { path } = await claude.writePrefix(source, env, { kind: 'tip' }, target)
  if (path === null) throw new Error('nothing was written')
  const child = { ...sessionFile(path), id: childId }
  const lines = () => readFileSync(path, 'utf8').trimEnd().split('\n')
  return { child, lines, parse: () => lines().map((line) => JSON.parse(line) as TestLine), pairs: () => both(source, child) }
}

async function both(...[source, child]: [ReturnType<typeof sessionFile>, ReturnType<typeof sessionFile>]): Promise<Pair[]> {
  const pairs: Pair[] = []
  for await (const pair of claude.readBoth?.(source, child, { home, vars: {} }, {}) ?? []) pairs.push(pair)
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
