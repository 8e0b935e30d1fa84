// Several agents at once, in one work tree and in two of one repository: every turn of every session is captured, under its own
// session, with its own files.
import { describe, expect, it } from 'vitest'
import type { AgentId } from '../../../src/model/session.ts'
import { copyOf } from '../../git/copy-of.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { type CaptureBench, newest, oldest, snapshotRefs, withBench } from './bench.ts'
import { headless, type Talker } from './talker.ts'

const rounds = wholeMatrix ? 4 : 2
if (!wholeMatrix) {
  console.log(
    `captured at once: left out here, run by npm run test:matrix: ${oldest.claude} and ${oldest.codex}; a second Codex and a second ` +
      'Claude Code in the one work tree; two work trees, codex; four rounds instead of two',
  )
}

interface Worker {
  readonly name: string
  readonly talker: Talker
  readonly cwd: string
  /** The work tree after each turn. */
  readonly copies: Record<string, string>[]
}

/** Each turn writes a file of its own, and one again that all turns of the worker write. */
async function work({ name, talker, cwd, copies }: Worker): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const command = `echo ${round} > ${name}-${round} && echo ${round} > ${name}-latest`
    await talker.say(`${name} ${round} ${talker.agent === 'claude' ? `[[bash:${command}]]` : `[[shell: ${command}]]`}`)
    copies.push(copyOf(cwd))
  }
}

function hire(bench: CaptureBench, agent: AgentId, name: string, cwd = bench.work): Worker {
  return { name, talker: headless(bench, agent, cwd), cwd, copies: [] }
}

/** Calls back with the files of every turn, as a fork of it has them. */
async function eachTurn(bench: CaptureBench, worker: Worker, look: (files: Record<string, string>, round: number) => void) {
  const { agent } = worker.talker
  const id = worker.talker.sessionId()
  const { session } = await bench.app.resolve(id)
  const rows = await bench.app.listTurns(session)
  expect(rows.map(({ prompt, snapshot }) => [prompt.split(' [[')[0], snapshot?.by])).toEqual(
    Array.from({ length: rounds }, (_, at) => [`${worker.name} ${at + 1}`, 'hook']),
  )
  expect(snapshotRefs(bench, agent, id).filter((ref) => ref.endsWith('/end'))).toHaveLength(rounds)
  for (let round = 1; round <= rounds; round += 1) {
    const { fork, plan } = await bench.app.fork({ address: id, at: String(round) })
    expect(plan.code.from).toMatchObject({ kind: 'snapshot', turnNumber: round })
    look(copyOf(fork.workspace?.path ?? ''), round)
  }
}

describe.each(wholeMatrix ? [newest, oldest] : [newest])('Claude Code $claude and Codex $codex', (versions) => {
  it('in one work tree', { timeout: 300_000 }, () =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install')
      const more = wholeMatrix ? [hire(bench, 'codex', 'c'), hire(bench, 'claude', 'd')] : []
      const workers = [hire(bench, 'claude', 'a'), hire(bench, 'codex', 'b'), ...more]
      await Promise.all(workers.map(work))
      for (const worker of workers) {
        await eachTurn(bench, worker, (files, round) => {
          const own = Object.fromEntries(Object.entries(files).filter(([name]) => name.startsWith(`${worker.name}-`)))
          const numbers = Array.from({ length: round }, (_, at) => [`${worker.name}-${at + 1}`, `- ${at + 1}\n`])
          expect(own).toEqual({ ...Object.fromEntries(numbers), [`${worker.name}-latest`]: `- ${round}\n` })
        })
      }
      expect(bench.git('fsck', '--strict', '--no-dangling')).toBe('')
    }),
  )

  it.each(wholeMatrix ? (['claude', 'codex'] as const) : (['claude'] as const))(
    'in two work trees of one repository, %s',
    { timeout: 300_000 },
    (agent) =>
      withBench(versions, async (bench) => {
        await bench.offshoot('hooks', 'install')
        const other = `${bench.claude.sandbox.root}/other`
        bench.git('worktree', 'add', '-q', '-b', 'other', other)
        const workers = [hire(bench, agent, 'a'), hire(bench, agent, 'b', other)]
        await Promise.all(workers.map(work))
        for (const worker of workers) {
          await eachTurn(bench, worker, (files, round) => expect(files).toEqual(worker.copies[round - 1]))
        }
        expect(bench.git('fsck', '--strict', '--no-dangling')).toBe('')
      }),
  )
})
