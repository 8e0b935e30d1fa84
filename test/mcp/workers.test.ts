// The tools for workers: what they hand on, what they refuse, and that nobody waits for ever. The workers behind them are stand-ins
// here; with real ones they are tested in test/real/mcp.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/model/error.ts'
import { makeWorker, settingsWith } from '../../src/model/worker.testkit.ts'
import type { ForkWorkerRequest, SendResult, SpawnedWorker, Worker, WorkerRequest } from '../../src/model/worker.ts'
import { bytesOf, maxResultBytes } from '../../src/server/mcp/size.ts'
import { clientKinds, errorOf, structured } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
beforeEach(() => {
  place = createPlace()
})
afterEach(() => place.end())

const secret = `ghp_${'a1B2'.repeat(10)}`

function workerNamed(name: string, more: Partial<Worker> = {}): SpawnedWorker {
  const worker = makeWorker({
    id: `id-${name}`,
    name,
    kind: 'terminal',
    sessionId: '00000000-0000-4000-8000-000000000000',
    cwd: place.repo,
    terminal: 'tmux',
    terminalId: '%5',
    pid: 1,
    command: { argv: ['claude', '--', `\u001b[31m${secret} ${'x'.repeat(5000)}`], cwd: place.repo, env: { KEY: secret } },
    settings: settingsWith({ TOKEN: secret }),
    ...more,
  })
  return { fork: null, pendingPrompt: null, ...worker }
}

describe('spawn_workers', () => {
  it('hands on exactly what was asked for, and tells failures one by one', async () => {
    const asked: WorkerRequest[] = []
    const spawnWorker = async (request: WorkerRequest) => {
      asked.push(request)
      if (request.name === '--taken') throw new AppError('name_taken', 'There is a worker of this name.')
      if (request.name === '-x; $(y)') return workerNamed(request.name, { state: 'waiting' })
      return workerNamed(
        request.name ?? 'someone',
        request.terminal === 'headless' ? { kind: 'headless', terminal: null, terminalId: null } : {},
      )
    }
    const client = await place.http('sdk 1', { verbs: { spawnWorker } })
    const heard: string[] = []
    const { workers } = structured<{
      workers: { index: number; worker?: { name: string }; note?: string; error?: { code: string } }[]
    }>(
      await client.call(
        'spawn_workers',
        {
          workers: [
            {
              agent_type: 'claude',
              name: '-x; $(y)',
              prompt: '--dangerously-skip-permissions',
              terminal: 'tmux',
              env: { PROXY_URL: 'http://x' },
            },
            {
              agent_type: 'codex',
              name: '--taken',
              resume_session_id: 'codex:abcdef12',
              fork_session: true,
              at_turn: '2',
              accept: ['dirty'],
            },
            { agent_type: 'codex', terminal: 'headless', continue_session: true, workspace: false },
            { agent_type: 'claude', fork_session: true },
            { agent_type: 'claude', resume_session_id: 'claude:abcdef12', continue_session: true },
            { agent_type: 'claude', env: { LD_PRELOAD: '/tmp/x.so' } },
            { agent_type: 'claude', env: { 'A=B': 'x' } },
          ],
        },
        { onProgress: ({ message }) => heard.push(message ?? '') },
      ),
    )
    expect(asked).toEqual([
      {
        agent: 'claude',
        projectPath: place.repo,
        name: '-x; $(y)',
        prompt: '--dangerously-skip-permissions',
        terminal: 'tmux',
        settings: { env: { PROXY_URL: 'http://x' } },
      },
      {
        agent: 'codex',
        projectPath: place.repo,
        name: '--taken',
        resume: 'codex:abcdef12',
        fork: true,
        atTurn: '2',
        accept: ['dirty'],
      },
      { agent: 'codex', projectPath: place.repo, continue: true, workspace: false, terminal: 'headless' },
    ])
    expect(workers.map(({ index, worker, error }) => [index, worker?.name ?? error?.code])).toEqual([
      [0, '-x; $(y)'],
      [1, 'name_taken'],
      [2, 'someone'],
      [3, 'usage'],
      [4, 'usage'],
      [5, 'refused'],
      [6, 'usage'],
    ])
    expect(workers[0]?.note).toContain('goes on when this server ends')
    expect(workers[0]?.note).toContain('the person has to answer it in the pane')
    expect(workers[2]?.note).toContain('belongs to the offshoot server')
    expect(heard.at(-1)).toBe('7 of 7 started')
  })

  it('takes no more than ten, and nothing it does not know', async () => {
    const client = await place.http()
    const many = Array.from({ length: 11 }, () => ({ agent_type: 'claude' }))
    for (const workers of [many, [], [{ agent_type: 'other' }], [{ agent_type: 'claude', dangerous: true }]]) {
      expect(errorOf(await client.call('spawn_workers', { workers }))).toMatchObject({
        code: 'usage',
        message: expect.stringMatching(/^`workers/),
      })
    }
  })
})

describe('list_workers', () => {
  it('says what each is doing, without the values of its environment', async () => {
    const many = Array.from({ length: 40 }, (_, at) => workerNamed(`worker-${at}`))
    const client = await place.http('sdk 1', { verbs: { listWorkers: async () => many } })
    const names: string[] = []
    for (let cursor: string | undefined; ; ) {
      const result = await client.call('list_workers', { limit: 50, ...(cursor === undefined ? {} : { cursor }) })
      expect(bytesOf(result)).toBeLessThanOrEqual(maxResultBytes)
      expect(JSON.stringify(result)).not.toContain(secret)
      expect(JSON.stringify(result)).not.toContain('\\u001b')
      const page = structured<{ workers: { name: string }[]; next?: string }>(result)
      names.push(...page.workers.map(({ name }) => name))
      cursor = page.next
      if (cursor === undefined) break
    }
    expect(names).toEqual(many.map(({ name }) => name))
  })
})

describe('send_to_worker', () => {
  const done = (answer: string): SendResult => ({
    worker: workerNamed('owl'),
    delivery: 'confirmed',
    answer,
    outcome: 'complete',
    error: null,
  })

  it('gives the answer, without secrets, and not too much of it', async () => {
    const sendToWorker = async () => done(`\u001b[1m${secret} ${'a'.repeat(60_000)}`)
    const client = await place.http('sdk 1', { verbs: { sendToWorker } })
    const result = await client.call('send_to_worker', { worker: 'owl', prompt: '-p --flag' })
    expect(bytesOf(result)).toBeLessThanOrEqual(maxResultBytes)
    const said = structured<{ answer: string; next: string; outcome: string }>(result)
    expect(said.answer).toMatch(/^\[redacted:github-token\] a+…$/)
    expect(said).toMatchObject({ outcome: 'complete', next: expect.stringContaining('read_session worker:owl@last') })
  })

  it('does not wait for ever: the turn goes on and can be asked for', async () => {
    let finish: (result: SendResult) => void = () => undefined
    const sending = new Promise<SendResult>((resolve) => {
      finish = resolve
    })
    const verbs = { sendToWorker: () => sending, findWorker: async () => workerNamed('owl', { state: 'running' }) }
    const client = await place.http('sdk 1', { verbs })
    const said = structured(await client.call('send_to_worker', { worker: 'owl', prompt: 'go', wait_seconds: 1 }))
    expect(said).toMatchObject({ outcome: 'running', delivery: 'pending', answer: null, worker: { state: 'running' } })
    finish(done('late'))
  })

  it('tells what it uses meanwhile', async () => {
    const verbs: NonNullable<Parameters<typeof place.http>[1]>['verbs'] = {
      async sendToWorker(_name, _prompt, options) {
        options?.onEvent?.({ kind: 'tool_call', callId: '1', tool: 'Bash', arguments: {} })
        return done('yes')
      },
    }
    const client = await place.http('sdk 1', { verbs })
    const heard: string[] = []
    await client.call(
      'send_to_worker',
      { worker: 'owl', prompt: 'go' },
      { onProgress: ({ message }) => heard.push(message ?? '') },
    )
    expect(heard).toEqual(['owl uses Bash'])
  })

  it('a cancelled call leaves the worker at work and the server up', async () => {
    let told: AbortSignal | undefined
    let begun: () => void = () => undefined
    const beginning = new Promise<void>((resolve) => {
      begun = resolve
    })
    const verbs: NonNullable<Parameters<typeof place.http>[1]>['verbs'] = {
      sendToWorker(_name, _prompt, options) {
        told = options?.signal
        begun()
        return new Promise(() => undefined)
      },
    }
    const client = await place.http('sdk 2 of 2026', { verbs })
    const stop = new AbortController()
    const asked = client.call('send_to_worker', { worker: 'owl', prompt: 'go' }, { signal: stop.signal })
    const cancelled = expect(asked).rejects.toThrow()
    await beginning
    stop.abort()
    await cancelled
    expect(told).toBeUndefined()
    expect(structured(await client.call('list_sessions'))).toMatchObject({ sessions: [] })
  })

  it.each(clientKinds)('what is wrong is said (%s)', async (kind) => {
    const verbs = {
      sendToWorker: async () => {
        throw new AppError('worker_waiting', 'owl waits for a permission.')
      },
      forkWorker: async () => {
        throw new TypeError('a bug with /secret/paths')
      },
    }
    const client = await place.http(kind, { verbs })
    expect(errorOf(await client.call('send_to_worker', { worker: 'owl', prompt: 'go' }))).toMatchObject({
      code: 'worker_waiting',
      hint: expect.stringContaining('Answer what it asks first'),
    })
    const bug = errorOf(await client.call('fork_worker', { worker: 'owl' }))
    expect(bug.code).toBe('internal')
    expect(JSON.stringify(bug)).not.toContain('secret')
  })
})

describe('fork_worker', () => {
  it('hands on what was asked for', async () => {
    const asked: unknown[] = []
    const forkWorker = async (name: string, request?: ForkWorkerRequest) => {
      asked.push([name, request])
      return workerNamed('owl-2', { forkedFrom: 'id-owl' })
    }
    const client = await place.http('sdk 2 of 2026', { verbs: { forkWorker } })
    const said = structured(
      await client.call('fork_worker', { worker: 'owl', name: '--n', at_turn: '-2', workspace: true, terminal: 'headless' }),
    )
    expect(said).toMatchObject({ worker: { name: 'owl-2' }, forked_from: 'id-owl' })
    expect(asked).toEqual([['owl', { name: '--n', atTurn: '-2', workspace: true, terminal: 'headless' }]])
    await client.call('fork_worker', { worker: 'owl', code: 'head', accept: ['code_approximate'] })
    expect(asked.at(-1)).toEqual(['owl', { code: 'head', accept: ['code_approximate'] }])
  })

  it('answers the plan instead of forking when told to, or when it needs a confirmation', async () => {
    const plan = { title: 'Fork of it', confirm: ['code_approximate'] }
    const forkWorker = async () => {
      throw new AppError('confirm_needed', 'This needs a yes.', { details: { confirm: ['code_approximate'], plan } })
    }
    const client = await place.http('sdk 2 of 2026', { verbs: { forkWorker } })
    const open = structured(await client.call('fork_worker', { worker: 'owl' }))
    expect(open).toMatchObject({ plan, confirm: ['code_approximate'], next: expect.stringContaining('accept') })
    expect(open).not.toHaveProperty('worker')
  })

  it('gives back a prompt that waits nowhere', async () => {
    const asked: unknown[] = []
    const forkWorker = async (_: string, request?: ForkWorkerRequest) => {
      asked.push(request)
      return { ...workerNamed('owl-2'), pendingPrompt: request?.send === true ? null : 'Try this' }
    }
    const client = await place.http('sdk 1', { verbs: { forkWorker } })
    const waits = structured(await client.call('fork_worker', { worker: 'owl', prompt: 'Try this' }))
    expect(waits).toMatchObject({ pending_prompt: 'Try this' })
    const sent = structured(await client.call('fork_worker', { worker: 'owl', prompt: 'Try this', send: true }))
    expect(sent).not.toHaveProperty('pending_prompt')
    expect(asked).toEqual([{ prompt: 'Try this' }, { prompt: 'Try this', send: true }])
  })
})

describe('fork_session', () => {
  it('sends a prompt only where it is told to', async () => {
    const { id } = place.session(['Feed the kingfisher'], { cwd: place.repo })
    const asked: WorkerRequest[] = []
    const spawnWorker = async (request: WorkerRequest) => {
      asked.push(request)
      return workerNamed('owl')
    }
    const client = await place.http('sdk 1', { verbs: { spawnWorker } })
    const call = async (args: object) =>
      structured<{ forked_session: { note: string; pending_prompt?: string; command: { argv: string[] } } }>(
        await client.call('fork_session', { session: id, code: 'none', prompt: 'Try this', ...args }),
      ).forked_session
    const made = await call({})
    expect(made).toMatchObject({ pending_prompt: 'Try this', note: expect.stringContaining('was not sent') })
    expect(made.command.argv).not.toContain('Try this')
    const command = await call({ send: true })
    expect(command).not.toHaveProperty('pending_prompt')
    expect(command.command.argv).toContain('Try this')
    expect(await call({ terminal: 'tmux' })).toMatchObject({ note: expect.stringContaining('waits in its composer') })
    await call({ terminal: 'tmux', send: true })
    expect(asked.map(({ prompt, send }) => [prompt, send])).toEqual([
      ['Try this', false],
      ['Try this', true],
    ])
  })
})

describe('arguments that would have no effect', () => {
  it.each([
    ['fork_session', { session: 'last', name: 'owl' }, '`name`'],
    ['fork_session', { session: 'last', name: 'owl', terminal: 'none', dry_run: true }, '`name`'],
    ['smart_fork', { intent: 'kingfisher', dry_run: true, code: 'head' }, '`code`, `dry_run`'],
    ['smart_fork', { intent: 'kingfisher', terminal: 'tmux', accept: ['dirty'] }, '`terminal`, `accept`'],
    ['smart_fork', { intent: 'kingfisher', auto_fork: true, fork_index: 1 }, 'not both'],
    ['search_sessions', { query: 'kingfisher', engine: 'builtin', collection: 'x' }, 'collection'],
  ])('%s %j is refused', async (name, args, words) => {
    place.session(['Feed the kingfisher'], { cwd: place.repo })
    const client = await place.http()
    expect(errorOf(await client.call(name, args))).toMatchObject({ code: 'usage', message: expect.stringContaining(words) })
  })

  it.each([
    [{ accept: ['dirty'] }, '`accept`'],
    [{ workspace: false, code: 'head' }, '`code`'],
    [{ code: 'turn' }, '`code`'],
    [{ continue_session: true, code: 'head', workspace: true }, '`workspace`, `code`'],
  ])('spawn_workers %j is refused', async (given, words) => {
    const client = await place.http()
    const workers = [{ agent_type: 'claude', terminal: 'headless', ...given }]
    const said = structured<{ workers: { error: object }[] }>(await client.call('spawn_workers', { workers }))
    expect(said.workers[0]?.error).toMatchObject({ code: 'usage', message: expect.stringContaining(words) })
  })
})

describe('smart_fork', () => {
  it('plans the fork that it would make: where no terminal is named, as a worker', async () => {
    place.session(['Feed the kingfisher'], { cwd: place.repo })
    const client = await place.http('sdk 2 of 2026', {
      vars: { ...place.vars, PATH: process.env.PATH, OFFSHOOT_TERMINAL: 'print' },
    })
    const plan = async (args: object) =>
      structured<{ plan: { terminal: string } }>(
        await client.call('smart_fork', { intent: 'kingfisher', fork_index: 1, dry_run: true, ...args }),
      ).plan.terminal
    expect(await plan({})).toBe('print')
    expect(await plan({ terminal: 'headless' })).toBe('headless')
    expect(await plan({ terminal: 'none' })).toBe('none')
  })

  it('opens the fork as a worker, and never with another agent unless told to', async () => {
    const { id } = place.session(['Feed the kingfisher', 'Paint it blue'], { cwd: place.repo })
    const asked: WorkerRequest[] = []
    const spawnWorker = async (request: WorkerRequest) => {
      asked.push(request)
      return workerNamed('owl')
    }
    const client = await place.http('sdk 1', { verbs: { spawnWorker } })
    const forked = structured<{ forked_session: object }>(
      await client.call('smart_fork', { intent: 'kingfisher', auto_fork: true }),
    )
    expect(forked.forked_session).toMatchObject({ session_name: 'owl', terminal_id: '%5', resume_session_id: id })
    await client.call('smart_fork', {
      intent: 'kingfisher',
      fork_index: 1,
      at_turn: '2',
      to_agent: 'codex',
      code: 'head',
      terminal: 'headless',
    })
    const shared = { fork: true, accept: [], projectPath: place.repo }
    expect(asked).toEqual([
      { ...shared, agent: 'claude', resume: `claude:${id}@1` },
      { ...shared, agent: 'codex', resume: `claude:${id}`, atTurn: '2', code: 'head', terminal: 'headless' },
    ])
  })

  it('shows the plan where a yes is needed', async () => {
    place.session(['Feed the kingfisher'], { cwd: place.repo })
    const details = { confirm: ['dirty'], plan: { steps: Array.from({ length: 500 }, (_, at) => `step ${at}`) } }
    const spawnWorker = async () => {
      throw new AppError('confirm_needed', 'This needs a yes', { details })
    }
    const client = await place.http('sdk 1', { verbs: { spawnWorker } })
    const said = structured<{ confirm: string[]; plan: { steps: string[] }; next: string }>(
      await client.call('smart_fork', { intent: 'kingfisher', auto_fork: true }),
    )
    expect(said).toMatchObject({
      confirm: ['dirty'],
      next: expect.stringMatching(/fork_session with its id as .plan_id. and these codes in .accept./),
    })
    expect(said.plan.steps.at(-1)).toBe('… 492 more')
    expect(said).not.toHaveProperty('forked_session')
  })

  it('forks nothing that is about something else', async () => {
    place.session(['Feed the kingfisher'], { cwd: place.repo })
    const client = await place.http()
    const said = structured<{ next: string }>(
      await client.call('smart_fork', { intent: 'quarterly tax report', auto_fork: true }),
    )
    expect(said.next).toContain('Nothing was forked')
  })
})
