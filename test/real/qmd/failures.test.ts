// qmd as it fails: absent, on a Node that is too old, hanging with children, talking nonsense, killed from outside. Each time a
// clear answer within bounds, nothing left running, and the built-in engine untouched.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.ts'
import { AppError } from '../../../src/model/error.ts'
import { type QmdProgress, renderQmdGuidance } from '../../../src/model/qmd.ts'
import { askQmd } from '../../../src/search/qmd/ask.ts'
import { findModels } from '../../../src/search/qmd/models.ts'
import { createQmd, type Qmd } from '../../../src/search/qmd/program.ts'
import { createSandbox, type Sandbox } from '../../search/sandbox.ts'
import { putQmdOnPath, type QmdOnPath } from '../lib/qmd.ts'

let box: Sandbox
let onPath: QmdOnPath
let vars: Sandbox['vars']
let app: App
let qmd: Qmd

beforeEach(() => {
  box = createSandbox()
  onPath = putQmdOnPath(join(box.root, 'bin'))
  vars = { ...box.vars, PATH: onPath.path }
  box.session([{ prompt: 'Feed the heron', answer: 'The heron is fed.' }])
  app = box.app({ vars })
  qmd = createQmd({ env: { home: box.home, vars }, folder: join(box.home, '.offshoot') })
})
afterEach(() => box.close())

async function refusal(given: App = app): Promise<AppError> {
  const error = await given.search({ text: 'heron', engine: 'qmd' }).catch((reason: unknown) => reason)
  if (!(error instanceof AppError)) throw new Error(`no refusal: ${JSON.stringify(error)}`)
  expect(renderQmdGuidance(error)).toMatchObject({ error: 'qmd_not_available', fallback_sessions: [{ agent_type: 'claude' }] })
  expect((await given.search({ text: 'heron', engine: 'builtin' })).results).toHaveLength(1)
  return error
}

/** A qmd whose collections are there, so that it comes to be asked. */
const withCollection = (script: string) =>
  onPath.fake(`case "$*" in *"collection list"*) echo 'claude-sessions (qmd://claude-sessions/)'; exit 0;; esac\n${script}`)

function isAlive(pid: number): boolean {
  try {
    // A zombie still answers to signals where nobody reaps it; its state tells.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const noModels = { embed: false, generate: false }
const question = {
  words: 'heron',
  collections: ['claude-sessions'],
  index: 'ours',
  models: noModels,
  count: 20,
  full: false,
} as const

it('absent', async () => {
  const without = box.app({ vars: { ...box.vars, PATH: '/usr/bin:/bin' } })
  expect((await refusal(without)).message).toBe('qmd is not on PATH.')
  expect((await without.updateQmd().catch((error: unknown) => error)) as AppError).toMatchObject({ code: 'qmd_not_available' })
  expect((await without.doctor()).find(({ id }) => id === 'qmd')).toMatchObject({ state: 'ok', fix: null })
  const wanted = box.app({ vars: { ...box.vars, PATH: '/usr/bin:/bin', OFFSHOOT_SEARCH_ENGINE: 'qmd' } })
  expect((await wanted.doctor()).find(({ id }) => id === 'qmd')).toMatchObject({ state: 'warn', message: 'qmd is not on PATH' })
})

it('on a Node that is too old', async () => {
  if (Number(process.versions.node.split('.')[0]) < 22) onPath.node(process.execPath)
  else {
    // Where the tests themselves run on a newer one, only what it does can be shown.
    onPath.fake('kill -SEGV $$')
    const old = join(box.root, 'old-node')
    writeFileSync(old, '#!/bin/sh\necho v20.20.2\n', { mode: 0o755 })
    onPath.node(old)
  }
  const { message, hint } = await refusal()
  expect(message).toMatch(/^qmd crashed \(segmentation fault\): it needs Node 22 or newer, and the node on PATH is v20\./)
  expect(hint).toBe('Put Node 22 or newer first on PATH.')
})

it('its collection missing', async () => {
  expect((await refusal()).message).toBe('qmd has no collection claude-sessions or codex-sessions.')
  const check = (await app.doctor()).find(({ id }) => id === 'qmd')
  expect(check).toMatchObject({ state: 'ok', message: expect.stringContaining('collections: none; no models') })
})

describe('hanging', () => {
  const hang = `sh -c 'echo $$ > ${'$PWD'}/child.part; mv child.part child; exec sleep 300' & wait`

  it('is stopped with all it started when its time is over', async () => {
    onPath.fake(hang)
    // On a busy machine its time may be over before it has begun: then it gets more.
    for (let timeoutMs = 750; !existsSync(join(qmd.folder, 'child')) && timeoutMs < 30_000; timeoutMs *= 2) {
      const result = await qmd.run(['collection', 'list'], { timeoutMs })
      expect(result).toMatchObject({ timedOut: true, exitCode: null })
    }
    const pid = Number(readFileSync(join(qmd.folder, 'child'), 'utf8'))
    while (isAlive(pid)) await sleep(5)
    expect(isAlive(pid)).toBe(false)
  })

  it('is stopped when nobody waits any more', async () => {
    withCollection(hang)
    const stop = new AbortController()
    const asked = askQmd(qmd, { ...question, signal: stop.signal })
    while (!existsSync(join(qmd.folder, 'child'))) await sleep(5)
    stop.abort()
    expect(await asked).toMatchObject({ mode: null, rows: [] })
    const pid = Number(readFileSync(join(qmd.folder, 'child'), 'utf8'))
    while (isAlive(pid)) await sleep(5)
    expect(isAlive(pid)).toBe(false)
  })

  it('ends with the process that started it', async () => {
    onPath.fake(hang)
    const program = fileURLToPath(new URL('../../../src/search/qmd/program.ts', import.meta.url))
    const script = `
      import { existsSync } from 'node:fs'
      import { createQmd } from ${JSON.stringify(program)}
      const qmd = createQmd(${JSON.stringify({ env: { home: box.home, vars }, folder: join(box.home, '.offshoot') })})
      qmd.run(['update'], { timeoutMs: 60_000 })
      setInterval(() => existsSync(qmd.folder + '/child') && process.exit(0), 5)`
    const file = join(box.root, 'leave.mts')
    writeFileSync(file, script)
    execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), file])
    const pid = Number(readFileSync(join(qmd.folder, 'child'), 'utf8'))
    while (isAlive(pid)) await sleep(5)
    expect(isAlive(pid)).toBe(false)
  })

  it('does not hold up the pipeline', async () => {
    withCollection(hang)
    const stop = new AbortController()
    const running = app.updateQmd({ signal: stop.signal })
    while (!existsSync(join(qmd.folder, 'child'))) await sleep(5)
    expect(await box.app({ vars }).updateQmd()).toMatchObject({ busy: true })
    stop.abort()
    expect(await running).toMatchObject({ stopped: true, exported: 1 })
    onPath.real()
    expect(await app.updateQmd()).toMatchObject({ exported: 0, added: ['claude-sessions', 'codex-sessions'], problems: [] })
  })
})

it('talking nonsense', async () => {
  for (const script of ['echo hello', 'echo "[{"', 'true', 'head -c 200000 /dev/urandom', 'echo \'{"results": []}\'']) {
    withCollection(script)
    expect((await refusal()).message).toMatch(/^qmd gave no answer\. .*something that is not its JSON/)
  }
  withCollection('echo "a warning"; echo \'[1, {"file": 5}, {"file": "qmd://claude-sessions/x.md", "score": "high"}, null]\'')
  expect((await app.search({ text: 'heron', engine: 'qmd' })).results).toEqual([])
  onPath.fake('head -c 100000 /dev/urandom')
  expect((await refusal(box.app({ vars }))).message).toContain('qmd has no collection')
})

it('killed from outside', async () => {
  withCollection('kill -KILL $$')
  expect((await refusal()).message).toContain('qmd gave no answer')
})

it('killed while it makes its index, again and again: the next run is whole', async () => {
  for (const afterMs of [0, 150, 400, 800]) {
    const stop = new AbortController()
    const onProgress = ({ step }: QmdProgress) => {
      if (step !== 'export') setTimeout(() => stop.abort(), afterMs)
    }
    const { problems } = await app.updateQmd({ signal: stop.signal, onProgress })
    expect(problems).toEqual([])
  }
  expect(await app.updateQmd()).toMatchObject({ stopped: false, problems: [] })
  expect((await app.search({ text: 'heron', engine: 'qmd' })).results).toHaveLength(1)
})

it('failing only in its better commands', async () => {
  withCollection('case "$*" in *" search "*) echo "[]";; *) echo "Error: no such command" >&2; exit 1;; esac')
  const answer = await app.search({ text: 'heron', engine: 'qmd' })
  expect(answer).toMatchObject({ engine: 'qmd', mode: 'search', results: [] })
  expect(answer.qmdError).toContain('query: qmd failed (exit 1): Error: no such command')
})

describe('models', () => {
  const put = (name: string, bytes: number) => {
    const folder = join(box.home, '.cache', 'qmd', 'models')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), '')
    truncateSync(join(folder, name), bytes)
  }
  const find = () => findModels({ home: box.home, vars }, qmd.configFile)
  const embed = 'hf_ggml-org_embeddinggemma-300M-Q8_0.gguf'

  it('are looked for before a command that would wait for them is started', async () => {
    expect(find()).toEqual({ embed: false, generate: false })
    put(embed, 20)
    put('hf_tobil_qmd-query-expansion-1.7B-q4_k_m.gguf.ipull', 5_000_000)
    expect(find()).toEqual({ embed: false, generate: false })
    put(embed, 5_000_000)
    expect(find()).toEqual({ embed: true, generate: false })
    put('hf_tobil_qmd-query-expansion-1.7B-q4_k_m.gguf', 5_000_000)
    expect(find()).toEqual({ embed: true, generate: true })
    mkdirSync(qmd.folder, { recursive: true })
    writeFileSync(qmd.configFile, 'collections: {}\nmodels:\n  embed: hf:other/model/other.gguf\n')
    expect(find()).toEqual({ embed: false, generate: true })
  })

  it('decide the command, and each failure leads to the next one', async () => {
    const log = join(box.root, 'calls')
    withCollection(`echo "$*" | head -n 1 >> '${log}'; case "$*" in *" search "*) echo "[]";; *) exit 3;; esac`)
    const answer = await askQmd(qmd, { ...question, words: 'feed the heron', models: { embed: true, generate: true } })
    expect(answer).toMatchObject({ mode: 'search', error: expect.stringMatching(/^query: qmd failed .*; vsearch: .*; query: /) })
    const calls = readFileSync(log, 'utf8').trim().split('\n')
    expect(calls.map((call) => call.replace('--index offshoot ', '').split(' -c ')[0])).toEqual([
      'query feed the heron --no-rerank',
      'vsearch feed the heron',
      'query lex: feed heron',
      'search feed heron',
    ])
  })
})
