// Forks a session at every turn: the workspace is file by file what the test copied when that turn ended, and the child's model
// sees exactly that much of the conversation.
import { expect } from 'vitest'
import type { ForkRequest, Plan } from '../../../src/model/fork.ts'

import type { Turn } from '../../../src/model/session.ts'
import { copyOf } from '../../git/copy-of.ts'
import type { CaptureBench } from './bench.ts'
import { askedDifference, type Parent } from './conversation.ts'
import type { MadeSession } from './made.ts'

export interface Wanted {
  readonly request: Omit<ForkRequest, 'address'>
  readonly files: Readonly<Record<string, string>>
  /** The last turn the child knows. */
  readonly turnId: string | null
  readonly status?: string
  /** Says something in the child, too. */
  readonly asks: boolean
}

let asked = 0

export async function checkFork(bench: CaptureBench, parent: Parent, wanted: Wanted): Promise<Plan> {
  const { request, files, turnId, status, asks } = wanted
  const when = JSON.stringify(request)
  const { fork, plan, proof } = await bench.app.fork({ address: parent.sessionId, ...request })
  expect.soft(plan.code.mode, when).toBe('turn')
  expect.soft(proof.sourceUnchanged, when).toBe(true)
  const path = fork.workspace?.path ?? ''
  expect.soft(copyOf(path), when).toEqual(files)
  if (status !== undefined) expect.soft(bench.claude.sandbox.git(path, 'status', '--porcelain'), when).toBe(status)
  if (asks) {
    asked += 1
    expect.soft(await askedDifference(bench, parent, turnId, fork, `a word in child ${asked}.`), when).toBe('')
  }
  return plan
}

export interface Looks {
  /** Which of the children are spoken to, by the number of the turn. */
  readonly asksAt: (number: number) => boolean
  /** Every turn unless told. */
  readonly forksAt?: (number: number) => boolean
  /** The states prompts found too: not where nobody told of prompts. */
  readonly starts?: boolean
}

export async function checkEveryTurn(bench: CaptureBench, made: MadeSession, looks: Looks): Promise<void> {
  const { asksAt, forksAt = () => true, starts = true } = looks
  const { app, work, git } = bench
  const { talker, sessionId, turns } = made
  const parent = { agent: talker.agent, sessionId, prompts: turns.map(({ prompt }) => prompt) }
  const { session } = await app.resolve(sessionId)
  const rows = await app.listTurns(session)
  expect(rows.map(({ prompt }) => prompt)).toEqual(parent.prompts)
  const before = stateOf(bench)
  for (const [at, turn] of turns.entries()) {
    const number = at + 1
    if (!forksAt(number)) continue
    const id = rows[at]?.id ?? ''
    const atTurn = { request: { at: String(number) }, files: turn.end, turnId: id, status: turn.status, asks: asksAt(number) }
    const plan = await checkFork(bench, parent, atTurn)
    const kind = turn.step.ends === undefined ? 'snapshot' : plan.code.from?.kind
    expect.soft(plan.code.from).toMatchObject({ kind, turnNumber: number, turnId: id, moment: 'end' })
    const isLate = plan.warnings.some(({ code }) => code === 'code_late')
    expect.soft(isLate, `turn ${number} says when it is late`).toBe(plan.code.from?.kind === 'late')
    expect.soft(rows[at]?.snapshot?.by === 'late').toBe(isLate)
    const found = { request: { before: String(number) }, files: turn.start, turnId: rows[at - 1]?.id ?? null }
    if (starts && (turn.step.byHand !== undefined || number === 1))
      await checkFork(bench, parent, { ...found, asks: asksAt(number) })
  }
  if (starts) await checkMixed(bench, made, parent, rows, asksAt(2))
  expect(stateOf(bench), 'where the session ran, all is as it was').toEqual(before)
  expect(git('fsck', '--strict', '--no-dangling')).toBe('')
  expect(work).toBe(session.cwd)
}

/** Conversation and code of different turns, and of none. */
async function checkMixed(
  bench: CaptureBench,
  { turns }: MadeSession,
  parent: Parent,
  rows: readonly Turn[],
  asks: boolean,
): Promise<void> {
  const [first, second] = turns
  const untouched = first?.start ?? {}
  const other = { request: { codeAt: '2' }, files: second?.end ?? {}, turnId: rows.at(-1)?.id ?? '', asks }
  await checkFork(bench, parent, other)
  await checkFork(bench, parent, { ...other, request: { at: '2', codeAt: '0' }, files: untouched, asks: false })
  await checkFork(bench, parent, { request: { at: '0' }, files: untouched, turnId: null, asks })
}

/** What forks must leave alone: files, what is staged, and every branch of the person's own. */
function stateOf({ work, git }: CaptureBench): unknown {
  const branches = git('for-each-ref', 'refs/heads', 'refs/tags').split('\n')
  return [
    copyOf(work),
    git('status', '--porcelain'),
    git('stash', 'list'),
    branches.filter((line) => !line.includes('/offshoot/')),
  ]
}
