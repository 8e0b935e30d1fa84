// Whatever happens to the files of a family of Codex threads, and whenever the catalogue is brought up to date meanwhile: it says
// what a fresh one says that reads the same files for the first time.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { builtinAgents } from '../agents/index.ts'
import { exec } from '../lib/exec.ts'
import { differencesFromFresh } from './fresh.testkit.ts'
import { createSandbox, type Sandbox, startAt } from './sandbox.testkit.ts'

const parent = '01a1ddf6-2d69-74a3-b25b-0797c78b57a2'
const child = '01a1ddf6-51e1-74a0-885e-faad69304e79'
const reverted = '01a1ddfa-16b5-7423-ac5b-2044e23b2f4c'
const segments = ['01a1ddfa-9ebd-7000-8000-000000000001', '01a1ddfa-9ebe-7000-8000-000000000002']

/** The name of a rollout and its lines. */
interface Member {
  readonly threadId: string
  readonly name: string
  readonly lines: readonly string[]
}

function sample(name: string): string[] {
  const path = fileURLToPath(new URL(`../agents/codex/samples/${name}`, import.meta.url))
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

type Line = { ordinal: number; payload: Record<string, unknown> } & Record<string, unknown>

/** A file that refers to another: a fork of it (another thread), or a segment after a revert (the same thread). */
function refer(to: readonly string[], baseId: string, ids: { id: string; forkedFrom?: string }, keep: number): string[] {
  const first = JSON.parse(to[0] ?? '') as Line
  const ends = to.map((line) => JSON.parse(line) as Line).filter(({ payload }) => payload.type === 'task_complete')
  const end = (ends[keep - 1]?.ordinal ?? first.ordinal) + 1
  const { id, forkedFrom } = ids
  const fork = forkedFrom === undefined ? {} : { forked_from_id: forkedFrom, forked_from_ordinal_exclusive: end }
  const base = { thread_id: baseId, end_ordinal_exclusive: end, end_byte_offset: 0 }
  const meta = { ...first, ordinal: end, payload: { ...first.payload, id, session_id: id, ...fork, history_base: base } }
  return [JSON.stringify(meta)]
}

/** Lines of a turn of its own, behind `lines`. */
function withTurn(lines: readonly string[], turnId: string): string[] {
  const { ordinal } = JSON.parse(lines.at(-1) ?? '') as Line
  const event = (payload: object, at: number) =>
    JSON.stringify({ timestamp: '2026-11-15T09:00:00.000Z', ordinal: ordinal + at, type: 'event_msg', payload })
  const said = { type: 'item_completed', item: { type: 'UserMessage', content: [{ type: 'text', text: `Asked in ${turnId}` }] } }
  const [start, end] = ['task_started', 'task_complete'].map((type) => ({ type, turn_id: turnId }))
  return [...lines, event(start ?? {}, 1), event(said, 2), event(end ?? {}, 3)]
}

const stamp = '2026-11-15T10-00-0'
const family: readonly Member[] = [
  { threadId: parent, name: `${stamp}0-${parent}`, lines: sample('02-exec-4turns-shell-patch.jsonl') },
  { threadId: child, name: `${stamp}1-${child}`, lines: sample('03-exec-fork-child.jsonl') },
  {
    threadId: '01a1ddf7-5ef6-76f2-a796-7bee405ebe80',
    name: `${stamp}2-01a1ddf7-5ef6-76f2-a796-7bee405ebe80`,
    lines: sample('04-fork-at-turn-into-worktree.jsonl'),
  },
  { threadId: reverted, name: `${stamp}3-${reverted}`, lines: sample('07b-tui-fork-original-segment.jsonl') },
  { threadId: reverted, name: `${stamp}4-${reverted}_${segments[0]}`, lines: sample('07-tui-escesc-revert-segment.jsonl') },
  // The parent is reverted to its second turn and goes on; a fork of that, one of the child, and one of the fork's segment.
  {
    threadId: parent,
    name: `${stamp}5-${parent}_${segments[1]}`,
    lines: withTurn(
      refer(sample('02-exec-4turns-shell-patch.jsonl'), parent, { id: parent }, 2),
      '01a1ddfb-0000-7000-8000-000000000009',
    ),
  },
  ...[
    { id: '01a1ddfc-0000-7000-8000-000000000001', base: child, of: child, lines: sample('03-exec-fork-child.jsonl') },
    {
      id: '01a1ddfc-0000-7000-8000-000000000002',
      base: segments[0] ?? '',
      of: reverted,
      lines: sample('07-tui-escesc-revert-segment.jsonl'),
    },
    { id: '01a1ddfc-0000-7000-8000-000000000003', base: parent, of: child, lines: sample('02-exec-4turns-shell-patch.jsonl') },
  ].map(({ id, base, of, lines }, at) => ({
    threadId: id,
    name: `${stamp}${6 + at}-${id}`,
    lines: withTurn(refer(lines, base, { id, forkedFrom: of }, 1), id.replace('ddfc', 'ddfd')),
  })),
  {
    threadId: '01a1ddff-a680-7761-824b-66beaf44afed',
    name: '2026-11-15T11-00-00-01a1ddff-a680-7761-824b-66beaf44afed',
    lines: sample('11-legacy-mode-3turns.jsonl'),
  },
  {
    threadId: '01a1ddff-a7a7-75d3-8eac-0dc5b69fa0f6',
    name: '2026-11-15T11-00-01-01a1ddff-a7a7-75d3-8eac-0dc5b69fa0f6',
    lines: sample('12-legacy-fork-at-turn1.jsonl'),
  },
]

/** What others were forked from, and what was reverted, does not change any more. */
function isSettled(name: string): boolean {
  return [`0-${parent}`, `1-${child}`, `3-${reverted}`, segments[0] ?? ''].some((end) => name.endsWith(end))
}

type Place = 'sessions' | 'archived_sessions' | 'away'
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      file: fc.nat(),
      to: fc.constantFrom<Place>('sessions', 'archived_sessions', 'away'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('grow' as const), file: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('pack' as const, 'unpack' as const, 'twin' as const), file: fc.nat() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('archive' as const, 'put back' as const), file: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'touch' as const, 'rewrite' as const), file: fc.nat() }),
  },
  { weight: 6, arbitrary: fc.constant({ kind: 'refresh' as const, file: 0 }) },
)
type Action = { readonly kind: string; readonly file: number; readonly to?: Place }

class Files {
  private readonly home: string
  private readonly away: string
  private named = 0

  constructor({ home, root }: Sandbox) {
    this.home = join(home, '.codex')
    this.away = join(root, 'away')
    for (const folder of [join(this.home, 'sessions', '2026', '11', '15'), join(this.home, 'archived_sessions'), this.away]) {
      mkdirSync(folder, { recursive: true })
    }
    for (const { name, lines: all } of family) {
      const lines = isSettled(name) ? all : all.slice(0, Math.ceil(all.length / 2))
      writeFileSync(join(this.folder('sessions'), `rollout-${name}.jsonl`), `${lines.join('\n')}\n`)
    }
  }

  private folder(place: Place): string {
    if (place === 'away') return this.away
    return place === 'sessions' ? join(this.home, 'sessions', '2026', '11', '15') : join(this.home, 'archived_sessions')
  }

  /** Its files now, plain and packed. */
  private find({ name }: Member): string[] {
    const names = [`rollout-${name}.jsonl`, `rollout-${name}.jsonl.zst`]
    const places: Place[] = ['sessions', 'archived_sessions', 'away']
    return places.flatMap((place) => names.map((each) => join(this.folder(place), each))).filter((path) => existsSync(path))
  }

  act({ kind, file, to }: Action): void {
    const member = family[file % family.length] as Member
    const paths = this.find(member)
    const plain = paths.find((path) => path.endsWith('.jsonl'))
    if (kind === 'move' && to !== undefined) for (const path of paths) renameSync(path, join(this.folder(to), basename(path)))
    if (kind === 'rename') {
      this.named += 1
      const entry = { id: member.threadId, thread_name: `Name ${this.named}`, updated_at: '2026-11-15T12:00:00Z' }
      appendFileSync(join(this.home, 'session_index.jsonl'), `${JSON.stringify(entry)}\n`)
    }
    if (kind === 'unpack') for (const path of paths) if (path.endsWith('.zst')) this.unpack(path)
    if (plain === undefined) return
    if (kind === 'grow') appendFileSync(plain, this.rest(plain, member))
    if (kind === 'pack' || kind === 'twin') execFileSync('zstd', ['-q', '-f', plain, '-o', `${plain}.zst`])
    if (kind === 'pack') rmSync(plain)
    if (kind === 'touch') utimesSync(plain, 1_800_000_000 + this.named, 1_800_000_000 + this.named)
    if (kind === 'rewrite') {
      const text = readFileSync(plain)
      rmSync(plain)
      writeFileSync(plain, isSettled(member.name) ? text : text.subarray(0, text.indexOf(10, Math.floor(text.length / 3)) + 1))
    }
  }

  private rest(path: string, { lines }: Member): string {
    const { size } = statSync(path)
    const whole = `${lines.join('\n')}\n`
    return Buffer.from(whole).subarray(size).toString()
  }

  private unpack(path: string): void {
    if (!existsSync(path.slice(0, -4))) execFileSync('zstd', ['-q', '-d', path, '-o', path.slice(0, -4)])
    rmSync(path)
  }
}

async function live(actions: readonly Action[]): Promise<string[]> {
  const sandbox = createSandbox()
  try {
    const files = new Files(sandbox)
    const options = {
      agents: builtinAgents,
      env: { home: sandbox.home, vars: sandbox.vars },
      folder: sandbox.offshootHome,
      cwd: sandbox.root,
      now: () => startAt,
      exec,
    }
    const catalog = sandbox.catalog(options)
    await catalog.refresh()
    for (const each of actions) {
      const { threadId } = family[each.file % family.length] as Member
      if (each.kind === 'refresh') {
        const differences = await differencesFromFresh(catalog, options)
        if (differences.length > 0) return differences
      } else if (each.kind === 'archive') await catalog.archive({ sessions: [{ agent: 'codex', sessionId: threadId }] })
      else if (each.kind === 'put back') {
        const session = (await catalog.listSessions()).find(({ id }) => id === threadId)
        if (session !== undefined) await catalog.putBackMissing(session)
      } else files.act(each)
    }
    return await differencesFromFresh(catalog, options)
  } finally {
    sandbox.close()
  }
}

it('agrees with a fresh catalogue at any point of any history', { timeout: 1_200_000 }, async () => {
  const runs = Number(process.env.LIVES ?? (process.env.OFFSHOOT_MATRIX === '1' ? 150 : 12))
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 14 }), async (actions) => {
      expect(await live(actions)).toEqual([])
    }),
    { numRuns: runs, ...(process.env.LIVES_SEED === undefined ? {} : { seed: Number(process.env.LIVES_SEED) }) },
  )
})
