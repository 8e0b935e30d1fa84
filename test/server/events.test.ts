import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventBody } from '../../src/model/event.ts'
import { listenTo } from './listening.ts'
import { createServerSandbox, type Sandbox, type Served, token } from './sandbox.ts'
import { type FrameRead, framesOf, takeEvents } from './sse.ts'

let sandbox: Sandbox

beforeAll(() => {
  sandbox = createServerSandbox()
})
afterAll(() => sandbox.close())

function progress(filesDone: number, bulk = 0): EventBody {
  return { type: 'index.progress', data: { files: 100, filesDone, bytes: bulk, bytesDone: 0 } }
}

async function open(server: Served, headers: Record<string, string> = {}): Promise<AsyncGenerator<FrameRead>> {
  const answer = await server.ask('/events', { headers })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  if (answer.body === null) throw new Error('no body')
  return framesOf(answer.body)
}

const ids = (frames: readonly FrameRead[]) => frames.map(({ id }) => Number(id))
const numbers = (frames: readonly FrameRead[]) =>
  frames.map(({ data }) => (data as { data: { files_done: number } }).data.files_done)

test('events are numbered without gaps, and go on where a client was', async () => {
  const server = sandbox.serve()
  const first = await open(server)
  const hello = (await first.next()).value as FrameRead
  expect(hello.id).toMatch(/^\d+$/)
  for (let done = 0; done < 5; done += 1) sandbox.workers.emit(progress(done))
  const seen = await takeEvents(first, 3)
  const start = Number(hello.id)
  expect(ids(seen)).toEqual([start + 1, start + 2, start + 3])
  expect(seen[0]).toMatchObject({
    event: 'index.progress',
    data: { id: start + 1, type: 'index.progress', at: expect.stringMatching(/Z$/) },
  })
  await first.return(undefined)
  expect(server.feed.listeners()).toBe(0)
  sandbox.workers.emit(progress(5))
  const again = await open(server, { 'last-event-id': String(seen.at(-1)?.id) })
  const rest = await takeEvents(again, 3)
  expect(ids(rest)).toEqual([start + 4, start + 5, start + 6])
  expect(numbers(rest)).toEqual([3, 4, 5])
  await again.return(undefined)
})

test('who was away for too long, or comes from another run, is told to begin anew', async () => {
  const server = sandbox.serve({ keepEvents: 4 })
  const begin = server.feed.lastId()
  for (let done = 0; done < 10; done += 1) sandbox.workers.emit(progress(done))
  await expect.poll(() => server.feed.lastId()).toBe(begin + 10)
  for (const asked of [String(begin), '1', '7', String(begin + 11), '9007199254740991', 'not a number', '-3']) {
    const frames = await open(server, { 'last-event-id': asked })
    const [reset] = await takeEvents(frames, 1)
    expect(reset).toMatchObject({ event: 'reset', id: String(begin + 10), data: { type: 'reset', data: { reason: 'too_old' } } })
    await frames.return(undefined)
  }
  const kept = await open(server, { 'last-event-id': String(begin + 6) })
  expect(numbers(await takeEvents(kept, 4))).toEqual([6, 7, 8, 9])
  await kept.return(undefined)
})

test('quiet streams have a heartbeat', async () => {
  const server = sandbox.serve({ heartbeatMs: 20 })
  const frames = await open(server)
  await frames.next()
  const beats: FrameRead[] = []
  while (beats.length < 2) beats.push((await frames.next()).value as FrameRead)
  expect(beats).toEqual([{ comment: '' }, { comment: '' }])
  await frames.return(undefined)
})

test('what happens outside the project, and what is secret, is not told', async () => {
  const server = sandbox.serve()
  const frames = await open(server)
  await frames.next()
  const of = { agent: 'claude', sessionId: null, workerId: 'w' } as const
  const key = `ghp_${'a1B2'.repeat(9)}`
  sandbox.workers.emit({ type: 'turn.started', data: { ...of, cwd: sandbox.home, turnId: 't', prompt: 'outside' } })
  sandbox.workers.emit({ type: 'turn.started', data: { ...of, cwd: sandbox.repo, turnId: 't', prompt: `with ${key}` } })
  const delta = (text: string): EventBody => ({
    type: 'message.delta',
    data: { ...of, cwd: sandbox.repo, event: { kind: 'text', delta: text } },
  })
  sandbox.workers.emit(delta(`the key ${key.slice(0, 12)}`))
  sandbox.workers.emit(delta(`${key.slice(12)}`))
  sandbox.workers.emit({
    type: 'turn.completed',
    data: { ...of, cwd: sandbox.repo, turnId: 't', prompt: null, outcome: 'complete', error: null },
  })
  const seen = await takeEvents(frames, 4)
  expect(seen.map(({ event }) => event)).toEqual(['turn.started', 'message.delta', 'message.delta', 'turn.completed'])
  expect(JSON.stringify(seen)).not.toContain('outside')
  expect(JSON.stringify(seen)).not.toContain('a1B2')
  expect(JSON.stringify(seen)).toContain('[redacted:github-token]')
  const first = ids(seen)[0] ?? 0
  expect(ids(seen)).toEqual([first, first + 1, first + 2, first + 3])
  await frames.return(undefined)
})

test('a clock that is set back or forth changes nothing about order or beats', async () => {
  let clock = Date.UTC(2026, 10, 15)
  const server = sandbox.serve({ now: () => clock, heartbeatMs: 20 })
  const frames = await open(server)
  await frames.next()
  sandbox.workers.emit(progress(1))
  const [before] = await takeEvents(frames, 1)
  clock -= 86_400_000
  sandbox.workers.emit(progress(2))
  clock += 10 * 86_400_000
  sandbox.workers.emit(progress(3))
  const after = await takeEvents(frames, 2)
  expect(ids(after)).toEqual([Number(before?.id) + 1, Number(before?.id) + 2])
  expect(((await frames.next()).value as FrameRead).comment).toBe('')
  await frames.return(undefined)
})

test('closing the server ends every stream politely', async () => {
  const server = sandbox.serve()
  const frames = await open(server)
  await frames.next()
  sandbox.workers.emit(progress(1))
  await expect.poll(() => server.feed.listeners()).toBe(1)
  await takeEvents(frames, 1)
  await server.close()
  expect((await frames.next()).value).toEqual({ comment: 'the server is stopping' })
  expect((await frames.next()).done).toBe(true)
})

test('a client that reads nothing, and one that is dead, cost the others nothing', async () => {
  const server = sandbox.serve({ keepEvents: 50 })
  const listening = await listenTo(server)
  const lazy: Socket[] = []
  try {
    for (let client = 0; client < 3; client += 1) {
      const socket = connect(listening.port, '127.0.0.1')
      socket.on('error', () => socket.destroy())
      socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      socket.pause()
      lazy.push(socket)
    }
    await expect.poll(() => server.feed.listeners()).toBe(3)
    const good = await fetch(`${listening.url}/events`, { headers: { authorization: `Bearer ${token}` } })
    if (good.body === null) throw new Error('no body')
    const frames = framesOf(good.body)
    await frames.next()
    lazy[0]?.destroy() // without a word
    // Far more than sockets hold: those who do not read fall behind, and no memory is kept for them.
    const bulk = { kind: 'notice', text: 'x'.repeat(50_000) } as const
    const of = { agent: 'claude', sessionId: null, workerId: 'w', cwd: sandbox.repo } as const
    const total = 400
    let first: number | undefined
    for (let sent = 0; sent < total; sent += 1) {
      sandbox.workers.emit({ type: 'message.delta', data: { ...of, event: bulk } })
      const [frame] = await takeEvents(frames, 1)
      first ??= Number(frame?.id)
      expect(Number(frame?.id)).toBe(first + sent)
    }
    await expect.poll(() => server.feed.listeners()).toBeLessThanOrEqual(3)
    // One that wakes up again is let go, and would be told to begin anew.
    lazy[1]?.resume()
    await expect.poll(() => server.feed.listeners(), { timeout: 20_000 }).toBeLessThanOrEqual(2)
    await frames.return(undefined)
  } finally {
    for (const socket of lazy) socket.destroy()
    await listening.close(0)
  }
  await sleep(0)
  await expect.poll(() => server.feed.listeners()).toBe(0)
})
