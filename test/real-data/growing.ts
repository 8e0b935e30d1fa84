// A session read on as it grows, and single stretches of it, must say what reading it from the start says.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { claude } from '../../src/agents/claude/index.ts'
import type { SessionSummary } from '../../src/agents/reading.ts'
import type { App } from '../../src/app.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import type { Message } from '../../src/model/session.ts'
import type { Sandbox } from '../real/lib/sandbox.ts'
import type { Report } from './report.ts'

const steps = 8

export async function checkGrowing({ root, agentEnv }: Sandbox, { id, path }: CatalogSession, report: Report): Promise<void> {
  const whole = readFileSync(path)
  const copy = join(root, 'growing.jsonl')
  let previous: SessionSummary | undefined
  for (let step = 1; step <= steps; step += 1) {
    const end = step === steps ? whole.length : whole.indexOf('\n', Math.floor((whole.length * step) / steps)) + 1
    writeFileSync(copy, whole.subarray(0, end === 0 ? whole.length : end))
    const { size: bytes, ino: inode, mtimeMs: modifiedAt } = statSync(copy)
    const file = { agent: 'claude', id, path: copy, bytes, inode, modifiedAt, archived: false, olderPaths: [] } as const
    const [grown, fresh] = [await claude.summarise(file, agentEnv, previous), await claude.summarise(file, agentEnv)]
    const isSame = isDeepStrictEqual({ ...grown, resume: null }, { ...fresh, resume: null })
    report.note(
      'read on as they grow',
      `${id}, ${step}/${steps}`,
      isSame ? {} : { problem: 'says something else than the whole' },
    )
    previous = JSON.parse(JSON.stringify(grown)) as SessionSummary
  }
}

/** The last two turns, as a screen shows them first. */
export async function checkStretch(app: App, session: CatalogSession, report: Report): Promise<void> {
  const { from, messages, turns } = await app.readTurns(session, { last: 2 })
  const wanted = new Set(turns.filter(({ number }) => number !== null && number >= from).map(({ id }) => id))
  // What stands before the first turn comes with it.
  if (from === 1) wanted.add('')
  const expected: Message[] = []
  for await (const entry of app.readSession(session)) {
    if (entry.kind === 'message' && wanted.has(entry.message.turnId)) expected.push(entry.message)
  }
  const isSame = isDeepStrictEqual(messages, expected)
  report.note(
    'last turns, read alone',
    session.id,
    isSame ? {} : { problem: `${messages.length} messages, not ${expected.length}` },
  )
}
