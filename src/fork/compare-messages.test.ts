// What a fork's proof says must not depend on the way it is found out: comparing bytes first, or two whole readings.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionFile } from '../agents/agent.ts'
import { claude } from '../agents/claude/index.ts'
import type { Entry } from '../agents/reading.ts'
import type { Message } from '../model/session.ts'
import { type Comparison, compareMessages, pairMessages } from './compare-messages.ts'

const samples = fileURLToPath(new URL('../agents/claude/samples', import.meta.url))

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-compare-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('every child of every recorded session, whole and damaged all over, is judged as two readings judge it', async () => {
  let wrong = 0
  let right = 0
  for (const name of readdirSync(samples).filter((each) => each.endsWith('.jsonl'))) {
    const source = sessionFile(join(samples, name))
    const env = { home, vars: {} }
    const { turns } = await claude.summarise(source, env)
    const middle = turns[Math.ceil(turns.length / 2) - 1]
    if (middle === undefined) continue
    const target = { sessionId: '00000000-0000-4000-8000-000000000000', cwd: home, title: name, forkedAt: 0 }
    const { path } = await claude.writePrefix(source, env, { kind: 'turn', turnId: middle.id }, target)
    if (path === null) throw new Error('nothing was written')
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    const judge = async (text: string) => {
      writeFileSync(path, text)
      const both = await judgeBoth(source, sessionFile(path), middle.id)
      expect(isGood(both.bytes), `${name}: ${JSON.stringify(both)}`).toBe(isGood(both.told))
      if (isGood(both.told)) expect(both.bytes).toEqual(both.told)
      return isGood(both.told)
    }
    expect(await judge(`${lines.join('\n')}\n`)).toBe(true)
    const stride = Math.ceil(lines.length / 20)
    for (const [i, line] of lines.entries()) {
      if (i % stride !== 0) continue
      for (const damaged of damagesOf(line)) {
        if (await judge(`${[...lines.slice(0, i), ...damaged, ...lines.slice(i + 1)].join('\n')}\n`)) right += 1
        else wrong += 1
      }
    }
    rmSync(path)
  }
  expect(wrong).toBeGreaterThan(100)
  expect(right).toBeGreaterThan(100)
})

test('a call that failed in one and not in the other is a difference; one that tells nothing is not', async () => {
  const calling = (failed: boolean | null): Message => ({
    ...saying(''),
    role: 'tool',
    tool: { name: 'Edit', arguments: {}, output: 'x', exitCode: null, failed, callId: 'c' },
  })
  const compare = async (parent: boolean | null, child: boolean | null) =>
    isGood(await compareMessages(pairMessages(entriesOf([calling(parent)]), entriesOf([calling(child)])), String))
  expect([await compare(true, true), await compare(true, null), await compare(true, false)]).toEqual([true, true, false])
})

test('names the first difference, and counts what comes after the whole prefix', async () => {
  const says = (texts: readonly string[]) => entriesOf(texts.map(saying))
  const compare = (parent: readonly string[], child: readonly string[]) =>
    compareMessages(pairMessages(says(parent), says(child)), (text) => text.replace(/<.*>/, ''))
  expect(await compare(['a', '<1>b'], ['a', '<2>b'])).toMatchObject({ same: 2, difference: null, extra: 0 })
  expect(await compare(['a', 'b', 'c'], ['a', 'x', 'c'])).toMatchObject({ same: 1, difference: 'message 2 has another text' })
  expect(await compare(['a', 'b'], ['a'])).toMatchObject({ same: 1, difference: 'message 2 is missing' })
  expect(await compare(['a'], ['a', 'b', 'c'])).toMatchObject({ same: 1, difference: null, extra: 2 })
})

test('a message of the child between two of the parent is a difference, not an extra', async () => {
  async function* pairs() {
    yield { kind: 'told' as const, parent: [saying('a')], child: [saying('a'), saying('b')] }
    yield { kind: 'same' as const, messages: 3, openCalls: 0 }
  }
  expect(await compareMessages(pairs(), String)).toMatchObject({ same: 1, difference: "message 2 is not the parent's" })
})

async function judgeBoth(source: SessionFile, child: SessionFile, turnId: string) {
  const env = { home, vars: {} }
  const options = { upTo: { turnId } }
  const told = pairMessages(claude.read(source, env, options), claude.read(child, env))
  const bytes = claude.readBoth?.(source, child, env, { ...options, byAgent: false })
  if (bytes === undefined) throw new Error('Claude Code has no way to read both')
  return { told: await compareMessages(told, String), bytes: await compareMessages(bytes, String) }
}

function isGood({ difference, extra }: Comparison): boolean {
  return difference === null && extra === 0
}

/** Left out, doubled, its texts changed, its results taken for errors, its commands failed. */
function damagesOf(line: string): string[][] {
  const edits: [RegExp, string][] = [
    [/("(?:text|thinking|content|command)":")(?=[^"\\])/, '$1x'],
    [/"type":"tool_result"/, '"type":"tool_result","is_error":true'],
    [/"tool_use_id":"/, '"tool_use_id":"other'],
    [/"toolUseResult":\{/, '"toolUseResult":{"exitCode":7,'],
    [/"timestamp":"2/, '"timestamp":"3'],
  ]
  return [[], [line, line], ...edits.flatMap(([from, to]) => (from.test(line) ? [[line.replace(from, to)]] : []))]
}

function saying(text: string): Message {
  return { id: text, turnId: '', role: 'assistant', text, at: null }
}

async function* entriesOf(messages: readonly Message[]): AsyncGenerator<Entry> {
  for (const message of messages) yield { kind: 'message', message }
}

function sessionFile(path: string): SessionFile {
  const { size: bytes, ino: inode, mtimeMs } = statSync(path)
  return {
    agent: 'claude',
    id: basename(path, '.jsonl'),
    path,
    bytes,
    modifiedAt: mtimeMs,
    inode,
    archived: false,
    olderPaths: [],
  }
}
