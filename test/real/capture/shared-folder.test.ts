// Two sessions at work in one folder at the same time, their edits interleaved: each turn names its own files, and what nobody can
// tell apart is said to be shared.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentId } from '../../../src/model/session.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { type CaptureBench, newest, oldest, withBench } from './bench.ts'
import { askOnce } from './talker.ts'

/** What an agent does, by its own tools. `wait` only reads, until the test lets it go on. */
interface Deeds {
  readonly write: (file: string) => string
  /** Replaces one line of `both.txt`. */
  readonly edit: (line: string) => string
  readonly shell: (command: string) => string
}

const deedsOf: Readonly<Record<AgentId, (work: string) => Deeds>> = {
  claude: (work) => ({
    write: (file) => `[[write:${work}/${file}:made]]`,
    edit: (line) => `[[read:${work}/both.txt]] [[edit:${work}/both.txt:${line}:changed ${line}]]`,
    shell: (command) => `[[bash:${command}]]`,
  }),
  codex: () => ({
    write: (file) => `[[patch: ${file}|made]]`,
    edit: (line) => `[[edit: both.txt|${line}|changed ${line}]]`,
    shell: (command) => `[[shell: ${command}]]`,
  }),
}

const pairs: readonly (readonly [outer: AgentId, inner: AgentId])[] = [
  ['claude', 'claude'],
  ['claude', 'codex'],
  ['codex', 'claude'],
]

if (!wholeMatrix)
  console.log('two agents in one folder: left out here, run by npm run test:matrix: all but Codex while Claude Code works')

describe.each(wholeMatrix ? [newest, oldest] : [newest])('Claude Code $claude and Codex $codex', (versions) => {
  it.each(wholeMatrix ? pairs : pairs.slice(1, 2))(
    '%s, while it works, has %s work in the same folder',
    { timeout: 300_000 },
    (outer, inner) =>
      withBench(versions, async (bench) => {
        const { work } = bench
        await bench.offshoot('hooks', 'install')
        writeFileSync(join(work, 'both.txt'), 'line one\nline two\n')
        bench.git('add', '-A')
        bench.git('commit', '-qm', 'both')
        const [a, b] = [deedsOf[outer](work), deedsOf[inner](work)]
        const gate = makeGate(bench)
        const prompt = `outer ${a.write('outer-1.txt')} ${a.shell(gate.wait)} ${a.edit('line one')}`
        const outside = askOnce(bench, outer, prompt, null, work)
        const openGate = await gate.reached()
        const inside = await askOnce(bench, inner, `inner ${b.write('inner-1.txt')} ${b.edit('line two')}`, null, work)
        expect(inside.done.code, inside.done.stderr).toBe(0)
        const shelled = await askOnce(bench, inner, `shell ${b.shell('echo s > inner-shell.txt')}`, inside.id, work)
        expect(shelled.done.code, shelled.done.stderr).toBe(0)
        await openGate()
        const { id, done } = await outside
        expect(done.code, `${done.stdout}${done.stderr}`).toBe(0)
        // Alone again.
        const alone = await askOnce(bench, outer, `alone ${a.write('outer-2.txt')}`, id, work)
        expect(alone.done.code, alone.done.stderr).toBe(0)
        const of = (agent: AgentId, sessionId: string) => turnsOf(bench, agent, sessionId)
        const names = { outer: `${outer}:${id}`, inner: `${inner}:${inside.id}` }
        expect(await of(outer, id)).toEqual([
          { files: ['outer-1.txt'], added: 1, removed: 0, shared: { with: [names.inner], files: ['both.txt'] } },
          { files: ['outer-2.txt'], added: 1, removed: 0, shared: null },
        ])
        const [first, second] = await of(inner, inside.id)
        expect(first).toEqual({
          files: ['inner-1.txt'],
          added: 1,
          removed: 0,
          shared: { with: [names.outer], files: ['both.txt'] },
        })
        expect(second).toMatchObject({ files: ['inner-shell.txt'], added: 1, removed: 0 })
        // Codex runs the calls of one answer side by side: it may have edited its file meanwhile, or before.
        expect(second?.shared?.files ?? []).toEqual([])
        const { stdout, stderr } = await bench.offshoot('diff', `${names.outer}@1`, '--name-only')
        expect(stdout.trim().split('\n')).toEqual(['both.txt', 'outer-1.txt'])
        expect(stderr).toContain('worked in the same folder at the same time')
        expect((await bench.offshoot('turns', names.inner)).stdout).toMatch(/Turn 1 .*\[1 shared\] inner-1\.txt/)
        // Made again from the refs, the table says the same.
        const before = await of(outer, id)
        await bench.offshoot('index', '--rebuild')
        expect(await of(outer, id)).toEqual(before)
      }),
  )

  it('two that both run commands: what a command changed is nobody’s for certain', { timeout: 300_000 }, () =>
    withBench(versions, async (bench) => {
      const { work } = bench
      await bench.offshoot('hooks', 'install')
      const { write, shell } = deedsOf.claude(work)
      const gate = makeGate(bench)
      const prompt = `outer ${shell('echo 1 > outer-shell.txt')} ${shell(gate.wait)} ${write('outer.txt')}`
      const outside = askOnce(bench, 'claude', prompt, null, work)
      const openGate = await gate.reached()
      const inside = await askOnce(bench, 'claude', `inner ${shell('echo 2 > inner-shell.txt')}`, null, work)
      await openGate()
      const { id, done } = await outside
      expect(done.code, done.stderr).toBe(0)
      const unsure = { files: ['inner-shell.txt'] }
      expect(await turnsOf(bench, 'claude', id)).toMatchObject([{ files: ['outer-shell.txt', 'outer.txt'], shared: unsure }])
      expect(await turnsOf(bench, 'claude', inside.id)).toMatchObject([{ files: [], added: 0, shared: unsure }])
    }),
  )
})

interface SnapshotJson {
  readonly files: readonly string[]
  readonly added: number
  readonly removed: number
  readonly shared?: { readonly with: readonly string[]; readonly files: readonly string[] }
}

async function turnsOf(bench: CaptureBench, agent: AgentId, sessionId: string) {
  const { stdout } = await bench.offshoot('turns', `${agent}:${sessionId}`, '--json')
  const { turns } = JSON.parse(stdout) as { turns: { snapshot: SnapshotJson }[] }
  return turns.map(({ snapshot: { files, added, removed, shared = null } }) => ({ files, added, removed, shared }))
}

/** A command that only reads, and waits for it: outside of the work tree. */
function makeGate({ claude }: CaptureBench) {
  const folder = join(claude.sandbox.root, 'gates')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'gate')
  execFileSync('mkfifo', [path])
  return {
    wait: `cat ${path}`,
    /** Waits until the command reads. Calling the returned function ends the command. */
    async reached() {
      const writer = await open(path, 'w')
      return async () => {
        // After `cat FILE`, Claude Code opens FILE itself, to remember what the model has read. 2.1.197 does so even if FILE is a
        // pipe, and then waits forever for a second writer; 2.1.325 opens regular files only. Neither opens a file that is gone.
        await rm(path)
        await writer.close()
      }
    },
  }
}
