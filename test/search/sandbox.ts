// A temporary home with Claude sessions in it that say and do what a test wants, and an app on top.
import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type App, createApp } from '../../src/app.ts'
import { openDatabase } from '../../src/store/open.ts'
import { readPostings } from '../../src/store/search-postings.ts'
import { createSegmentTable } from '../../src/store/search-segments.ts'
import { removeFolder } from '../setup/remove-folder.ts'

export const startAt = Date.UTC(2026, 10, 1, 9)

export interface TurnText {
  readonly prompt: string
  readonly answer?: string
  /** Where the prompt is given; and where the agent goes to in answering it. */
  readonly cwd?: string
  readonly cd?: string
  readonly tools?: readonly {
    readonly name: string
    readonly input: unknown
    readonly output?: string
    readonly exitCode?: number
  }[]
}

export interface Transcript {
  readonly id: string
  readonly path: string
  readonly lines: readonly Line[]
  /** Gives the turn's id. */
  add(turn: TurnText | string): string
  write(line: Line): void
}

type Line = Readonly<Record<string, unknown>>

export interface Sandbox {
  readonly root: string
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  app(options?: { readonly cwd?: string; readonly vars?: Sandbox['vars'] }): App
  repository(name: string): string
  session(turns: readonly (TurnText | string)[], options?: SessionOptions): Transcript
  close(): void
}

export interface SessionOptions {
  readonly id?: string
  readonly cwd?: string
  readonly at?: number
  readonly copied?: readonly Line[]
}

export function createSandbox(): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-search-')))
  const home = join(root, 'home')
  mkdirSync(home, { recursive: true })
  const vars = { PATH: process.env.PATH, HOME: home }
  const apps: App[] = []
  return {
    root,
    home,
    vars,
    app({ cwd = root, vars: given = vars } = {}) {
      const app = createApp({ home, vars: given, cwd, now: () => startAt + 86_400_000 })
      apps.push(app)
      return app
    },
    repository(name) {
      const folder = join(root, name)
      mkdirSync(folder, { recursive: true })
      const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.org']
      execFileSync('git', ['init', '-q', folder])
      execFileSync('git', ['-C', folder, ...who, 'commit', '-q', '--allow-empty', '-m', name])
      return folder
    },
    session(turns, { id = randomUUID(), cwd = root, at = startAt, copied = [] } = {}) {
      const path = join(home, '.claude', 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'), `${id}.jsonl`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '')
      const transcript = createTranscript(id, path, cwd, at)
      for (const line of copied) transcript.write({ ...line, sessionId: id })
      for (const turn of turns) transcript.add(turn)
      return transcript
    },
    close() {
      for (const app of apps) app.close()
      removeFolder(root)
    },
  }
}

function createTranscript(id: string, path: string, cwd: string, at: number): Transcript {
  const lines: Line[] = []
  let clock = at
  let folder = cwd

  function write(line: Line): void {
    lines.push(line)
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  }

  function link(line: Line): string {
    const uuid = randomUUID()
    clock += 1000
    const parentUuid = lines.findLast((each) => typeof each.uuid === 'string')?.uuid ?? null
    const base = { isSidechain: false, userType: 'external', cwd: folder, sessionId: id, version: '2.1.325', gitBranch: 'main' }
    write({ ...base, parentUuid, ...line, uuid, timestamp: new Date(clock).toISOString() })
    return uuid
  }

  const say = (content: unknown): string =>
    link({
      type: 'assistant',
      message: {
        id: `msg_${randomUUID()}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [content],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    })

  return {
    id,
    path,
    lines,
    write,
    add(given) {
      const { prompt, answer, tools = [], cwd: at, cd } = typeof given === 'string' ? ({ prompt: given } as TurnText) : given
      folder = at ?? cwd
      const turn = link({ type: 'user', message: { role: 'user', content: prompt }, promptId: randomUUID() })
      folder = cd ?? folder
      for (const { name, input, output = 'done', exitCode } of tools) {
        const toolId = `toolu_${randomUUID()}`
        say({ type: 'tool_use', id: toolId, name, input })
        const isError = exitCode !== undefined && exitCode !== 0
        link({
          type: 'user',
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolId, content: output, is_error: isError }] },
        })
      }
      say({ type: 'text', text: answer ?? 'Done.' })
      return turn
    },
  }
}

/** Everything the index holds, without the numbers that depend on the order in which it came in. */
export function dumpIndex({ home }: Pick<Sandbox, 'home'>): unknown {
  const db = openDatabase(join(home, '.offshoot'))
  try {
    const all = (sql: string) => db.prepare(sql).all() as Record<string, unknown>[]
    const chunks = all(`SELECT s.agent, s.path, t.id AS turn, t.number, t.mark, c.part, c.prompt, c.body, c.tools,
        c.prompt_terms, c.body_terms, c.tool_terms, c.key, c.session_key, v.vector, m.id AS model
      FROM search_chunks c JOIN search_turns t ON t.key = c.turn_key JOIN search_sessions s ON s.key = t.session_key
      LEFT JOIN search_vectors v ON v.chunk_key = c.key LEFT JOIN search_models m ON m.key = v.model
      ORDER BY s.path, t.id, c.part, m.id`)
    const terms = new Map<number, string[]>()
    const indexed = new Set(chunks.map(({ key }) => Number(key)))
    const segments = createSegmentTable(db)
    for (const { key, base } of segments.all()) {
      for (const postings of segments.terms(key)) {
        const room = { keys: new Int32Array(postings.chunks), counts: new Int32Array(postings.chunks) }
        readPostings(postings, room, base)
        for (const [at, chunk] of room.keys.entries()) {
          // What is gone leaves its postings behind until they are merged: nobody reads them.
          if (!indexed.has(chunk)) continue
          const known = terms.get(chunk) ?? []
          known.push(`${postings.term} ${room.counts[at]}`)
          terms.set(chunk, known)
        }
      }
    }
    const blocks = all('SELECT block, sessions FROM search_blocks').flatMap(({ block, sessions }) => {
      const keys = new Int32Array(new Uint8Array(sessions as Buffer).buffer)
      return [...keys.entries()]
        .filter(([, session]) => session !== 0)
        .map(([at, session]) => [Number(block) * 1024 + at, session])
    })
    return {
      sessions: all('SELECT agent, path, id, mark, prompt_terms, body_terms, tool_terms FROM search_sessions ORDER BY path'),
      turns: all(
        'SELECT s.path, t.id, t.number, t.mark FROM search_turns t JOIN search_sessions s ON s.key = t.session_key ORDER BY s.path, t.id',
      ),
      files: all(`SELECT s.path AS session, t.id AS turn, f.name, f.path, f.edited FROM search_files f
        JOIN search_turns t ON t.key = f.turn_key JOIN search_sessions s ON s.key = f.session_key ORDER BY s.path, t.id, f.path`),
      chunks: chunks.map(({ key, session_key: _, vector, ...rest }) => ({
        ...rest,
        terms: hash((terms.get(Number(key)) ?? []).sort().join('\n')),
        vector: vector === null ? null : hash(vector as Buffer),
      })),
      missingTerms: chunks.filter(({ key, body_terms: said }) => Number(said) > 0 && !terms.has(Number(key))),
      strayBlocks: blocks.filter(([key]) => !indexed.has(Number(key))),
      missingBlocks: chunks.filter(
        ({ key, session_key }) => !blocks.some(([at, session]) => at === key && session === session_key),
      ),
    }
  } finally {
    db.close()
  }
}

function hash(value: string | Buffer): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16)
}
