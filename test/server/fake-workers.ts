// The worker verbs of the app without an agent behind them: they answer what a test wants, and remember what they were asked.
import { randomUUID } from 'node:crypto'
import type { App } from '../../src/app.ts'
import { makePlan } from '../../src/cli/forking/plan.testkit.ts'
import { createEventLog } from '../../src/lib/event-log.ts'
import { AppError } from '../../src/model/error.ts'
import type { AppEvent, EventBody } from '../../src/model/event.ts'
import type { RunEvent } from '../../src/model/run.ts'
import { makeWorker, settingsWith } from '../../src/model/worker.testkit.ts'
import type { Worker } from '../../src/model/worker.ts'

export interface FakeWorkers extends Pick<App, (typeof verbs)[number]> {
  readonly asked: { readonly verb: string; readonly args: readonly unknown[] }[]
  /** What a prompt is answered with. */
  turn: (onEvent: (event: RunEvent) => void) => Promise<string>
  emit(body: EventBody): AppEvent
  add(fields?: Partial<Worker>): Worker
}

const verbs = [
  'listWorkers',
  'findWorker',
  'spawnWorker',
  'sendToWorker',
  'interruptWorker',
  'answerPermission',
  'forkWorker',
  'planForkWorker',
  'stopWorker',
  'sendToSession',
  'onEvent',
  'keepWatch',
  'shutDown',
] as const

export function createFakeWorkers(cwd: string): FakeWorkers {
  const workers = new Map<string, Worker>()
  const asked: FakeWorkers['asked'] = []
  const log = createEventLog({ now: Date.now })

  function add(fields: Partial<Worker> = {}): Worker {
    const id = fields.id ?? randomUUID()
    const worker = makeWorker({
      id,
      name: `worker-${workers.size + 1}`,
      sessionId: randomUUID(),
      cwd,
      command: { argv: ['claude'], cwd, env: { SECRET: 'in the environment' } },
      settings: settingsWith({ ANTHROPIC_BASE_URL: 'http://proxy.invalid' }),
      createdAt: Date.now(),
      ...fields,
    })
    workers.set(id, worker)
    return worker
  }

  function find(name: string): Worker {
    const found = [...workers.values()].find((one) => one.id === name || one.name === name)
    if (found === undefined) throw new AppError('worker_not_found', `There is no worker "${name}".`)
    return found
  }

  const note = (verb: string, ...args: unknown[]) => void asked.push({ verb, args })

  const fake: FakeWorkers = {
    asked,
    add,
    emit: log.emit,
    turn: async (onEvent) => {
      onEvent({ kind: 'started', sessionId: 's', turnId: 't', model: null })
      onEvent({ kind: 'text', delta: 'Hello ' })
      onEvent({ kind: 'text', delta: 'there.' })
      onEvent({ kind: 'end', outcome: 'complete', error: null })
      return 'Hello there.'
    },
    listWorkers: async () => [...workers.values()],
    findWorker: async (name) => find(name),
    async spawnWorker(request) {
      note('spawnWorker', request)
      return {
        ...add({ agent: request.agent, ...(request.name === undefined ? {} : { name: request.name }) }),
        fork: null,
        pendingPrompt: null,
      }
    },
    async sendToWorker(name, prompt, options = {}) {
      note('sendToWorker', name, prompt, options.wait)
      const worker = find(name)
      if (options.wait === false) return { worker, delivery: 'confirmed', answer: null, outcome: 'running', error: null }
      const answer = await fake.turn(options.onEvent ?? (() => undefined))
      return { worker, delivery: 'confirmed', answer, outcome: 'complete', error: null }
    },
    async sendToSession(session, prompt, options = {}) {
      note('sendToSession', session.id, prompt)
      const answer = await fake.turn(options.onEvent ?? (() => undefined))
      return { worker: add({ sessionId: session.id }), delivery: 'confirmed', answer, outcome: 'complete', error: null }
    },
    async interruptWorker(name) {
      note('interruptWorker', name)
      return find(name)
    },
    async answerPermission(name, requestId, decision) {
      note('answerPermission', name, requestId, decision)
      return find(name)
    },
    async forkWorker(name, request = {}) {
      note('forkWorker', name, request)
      const source = find(name)
      if ([...workers.values()].some((one) => one.name === request.name)) {
        throw new AppError('name_taken', `There is a worker "${request.name}" already.`)
      }
      return {
        ...add({ forkedFrom: source.id, ...(request.name === undefined ? {} : { name: request.name }) }),
        fork: null,
        pendingPrompt: request.send === true ? null : (request.prompt ?? null),
      }
    },
    async planForkWorker(name, request = {}) {
      note('planForkWorker', find(name).id, request)
      return makePlan({ terminal: 'headless' })
    },
    async stopWorker(name) {
      note('stopWorker', name)
      const worker: Worker = { ...find(name), state: 'stopped' }
      workers.set(worker.id, worker)
      return worker
    },
    onEvent: log.onEvent,
    keepWatch: async () => ({ close: async () => undefined }),
    shutDown: async () => undefined,
  }
  return fake
}
