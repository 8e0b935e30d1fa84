// What a fork must hold although the source's own lines do not lead there: messages below `progress` lines that are left out, and
// parallel calls, which 2.1.197 does not look for in a file of more than 5 MB.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderNameOf } from '../../../src/agents/claude/folder-name.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import {
  at,
  call,
  chainLine,
  notes,
  prompt,
  reply,
  result,
  type TestLine,
  textOfLines,
} from '../../../src/agents/claude/lines.testkit.ts'
import { createBench } from '../claude/bench.ts'
import type { ClaudeVersion } from '../lib/agents.ts'
import { discover, historyDiff, requestFor, seen } from './claude-forks.ts'

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const progress = (n: number, parent: number, second: number) => chainLine(uuid(n), uuid(parent), notes['a progress line'], second)
const longOutput = (name: string) => `${name}\n${'x'.repeat(2 << 20)}`

const sources: readonly (readonly [string, ClaudeVersion, readonly TestLine[], number])[] = [
  [
    'messages below progress lines of slow hooks',
    '2.1.325',
    [
      prompt(uuid(1), null, 'one', at(0)),
      reply(uuid(2), uuid(1), 'm1', 'first', at(1)),
      progress(3, 2, 2),
      progress(4, 3, 3),
      prompt(uuid(5), uuid(4), 'two', at(60)),
      reply(uuid(6), uuid(5), 'm2', 'second', at(61)),
    ],
    4,
  ],
  [
    'parallel calls of which the next message hangs on the first, in a file of 6 MB',
    '2.1.197',
    [
      prompt(uuid(1), null, 'go', at(0)),
      call(uuid(2), uuid(1), 'm1', 'x1'),
      call(uuid(3), uuid(2), 'm1', 'x2'),
      call(uuid(4), uuid(3), 'm1', 'x3'),
      result(uuid(5), uuid(4), 'x3', longOutput('three'), at(1)),
      result(uuid(6), uuid(3), 'x2', longOutput('two'), at(2)),
      result(uuid(7), uuid(2), 'x1', longOutput('one'), at(3)),
      reply(uuid(8), uuid(7), 'm2', 'done', at(4)),
    ],
    8,
  ],
]

it.each(sources)('%s (%s)', { timeout: 120_000 }, async (_name, version, lines, items) => {
  const bench = await createBench(version)
  try {
    const { home, work, agentEnv } = bench.sandbox
    const id = randomUUID()
    const folder = join(home, '.claude', 'projects', folderNameOf(work))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${id}.jsonl`), textOfLines(lines.map((line) => ({ ...line, sessionId: id, cwd: work }))))
    const file = discover(bench, id)
    const expected = await seen(bench, file)
    expect(expected).toHaveLength(items)
    const target = { sessionId: randomUUID(), cwd: work, title: 'Fork of it', forkedAt: 0 }
    const child = await claude.writePrefix(file, agentEnv, { kind: 'tip' }, target)
    const next = 'a word in the child'
    await bench.claude.print(next, { flags: ['--resume', child.sessionId] })
    expect(historyDiff(expected, requestFor(bench, next), next)).toBe('')
  } finally {
    await bench.sandbox.dispose()
  }
})
