// A prompt typed while Claude works, and Escape: 2.1.325 ends the turn without a word to any hook, and starts the waiting prompt so too.
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { waitUntil } from '../lib/wait.ts'
import { newest, snapshotRefs, withBench } from './bench.ts'
import { hangs } from './talker.ts'

interface Listed {
  readonly state: string
  readonly snapshot: { readonly by: string; readonly files: string[]; readonly changes_unknown?: true } | null
}

it('a prompt typed ahead and Escape: no turn is given the work of another', { timeout: 120_000 }, () =>
  withBench(newest, async (bench) => {
    await bench.offshoot('hooks', 'install', '--agent', 'claude')
    const id = randomUUID()
    const terminal = await bench.claude.claude.open({ flags: ['--session-id', id] })
    const writing = (name: string) => `${name}. [[write:${join(bench.work, name)}:${name}]]`
    const ends = () => snapshotRefs(bench, 'claude', id).filter((ref) => ref.endsWith('/end')).length
    const captured = async (number: number) => {
      await waitUntil(`${number} turns to be captured`, () => ends() === number, { describe: () => terminal.scrollback() })
      await terminal.waitWhile('esc to interrupt')
    }
    await terminal.submit(writing('m1'))
    await captured(1)
    await terminal.submit(`${writing('m2')} [[hang]]`)
    await waitUntil('the model to hang', () => hangs(bench))
    await terminal.submit(writing('m3'))
    // Before it waits in the queue, Escape would leave it in the composer, and it would begin with a hook.
    const isQueued = () => bench.claude.lines(id).some(({ operation }) => operation === 'enqueue')
    await waitUntil('the prompt to be queued', isQueued, { describe: () => terminal.scrollback() })
    await terminal.waitFor(/m3\. [\s\S]*esc to interrupt/)
    terminal.key('Escape')
    await captured(2)
    await terminal.submit(writing('m4'))
    await captured(3)
    await terminal.leave('/exit')

    const { stdout } = await bench.offshoot('turns', id, '--json')
    const { turns } = JSON.parse(stdout) as { turns: Listed[] }
    const show = ({ state, snapshot }: Listed) =>
      `${state}, ${snapshot === null ? 'not captured' : `${snapshot.by} ${snapshot.changes_unknown ? 'unknown' : snapshot.files.join()}`}`
    expect(turns.map(show)).toEqual([
      'complete, hook m1',
      'interrupted, not captured',
      'complete, hook unknown',
      'complete, hook m4',
    ])
    const fork = async (...at: string[]) => {
      const done = await bench.offshoot('fork', id, ...at, '--yes', '--json')
      const { plan, fork: made } = JSON.parse(done.stdout) as {
        plan: { code: { from: { kind: string } } }
        fork: { workspace: { path: string } }
      }
      return [plan.code.from.kind, ...readdirSync(made.workspace.path).filter((name) => /^m\d$/.test(name))]
    }
    expect(await fork('--before', '3')).toEqual(['reconstructed', 'm1', 'm2'])
    expect(await fork('--at', '2')).toEqual(['reconstructed', 'm1', 'm2'])
    expect(await fork('--at', '3')).toEqual(['snapshot', 'm1', 'm2', 'm3'])
  }),
)
