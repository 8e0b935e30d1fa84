// `!` commands in Claude Code: what they run, and what the model does in answer, is part of the turn before, so its snapshot holds both.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import type { Turn } from '../../src/model/session.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  app = sandbox.app({ cwd: repo })
})
afterEach(() => sandbox.close())

const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const make = (name: string) => session.writeCall('Write', { file_path: join(repo, name), content: `${name}\n` })
const whole = async (prompt: string, name: string) => {
  await playTurn(tell, session, prompt, () => make(name))
  return session.writeStopped()
}
/** The user runs a command, which makes one file; nobody answers. */
const command = (name: string, id?: 'own' | 'same' | 'none') => {
  writeFileSync(join(repo, name), '')
  session.writeCommand(`touch ${name}`, id)
}
const answered = async (name: string) => {
  make(name)
  session.writeAnswer()
  await tell(session.stop())
  session.writeStopped()
}
const show = ({ number, snapshot }: Turn) =>
  `${number} ${snapshot ? `${snapshot.by} ${snapshot.changesUnknown ? 'unknown' : snapshot.files.join(' ')}` : 'not captured'}`
const turns = async () => (await app.listTurns((await app.resolve(session.id)).session)).map(show)
const all = async () => app.listTurns((await app.resolve(session.id)).session, { deadBranches: true })
const planned = async (at: string) => (await app.planFork({ address: session.id, at })).warnings.map(({ code }) => code)

test('the answer to a command is captured with the turn before', async () => {
  await whole('one', 'm1')
  command('c1')
  await answered('a1')
  expect(await turns()).toEqual(['1 hook a1 c1 m1'])
  command('c2')
  await answered('a2')
  await whole('two', 'm2')
  const all = ['1 hook a1 a2 c1 c2 m1', '2 hook m2']
  expect(await turns()).toEqual(all)
  await app.rebuildCaptures()
  expect(await turns()).toEqual(all)
  expect(await planned('1')).not.toContain('code_late')
})

test('the answer to a command whose lines are written only later is captured with the turn before', async () => {
  await whole('one', 'm1')
  session.writeCommand('true')
  const early = { ...session.stop(), transcript_path: join(repo, 'not-there.jsonl') }
  writeFileSync(join(repo, 'c1'), '')
  await tell(early)
  session.writeAnswer()
  expect((await turns()).map((turn) => turn.split(' ')[1])).toEqual(['hook'])
  const [turn] = await app.listTurns((await app.resolve(session.id)).session)
  expect(sandbox.git(repo, 'ls-tree', '--name-only', `${turn?.snapshot?.tree}`)).toContain('c1')
})

test('a command behind a rewind belongs to the turn it was typed behind', async () => {
  const end = await whole('one', 'm1')
  await whole('two', 'm2')
  session.rewind(end)
  command('c1')
  await answered('a1')
  expect((await turns())[0]).toBe('1 hook a1 c1 m1 m2')
})

test.each(['own', 'same'] as const)(
  'a command behind a rewind leaves the turn that was rewound as captured (%s id)',
  async (id) => {
    await whole('one', 'm1')
    const end = await whole('two', 'm2')
    await whole('three', 'm3')
    const before = (await all()).at(-1)
    session.rewind(end)
    command('c1', id)
    await answered('a1')
    expect((await all()).map(show)).toEqual(['1 hook m1', '2 hook a1 c1 m2 m3', 'null hook m3'])
    expect((await all()).at(-1)?.snapshot?.tree).toBe(before?.snapshot?.tree)
    command('c2', id)
    await answered('a2')
    expect((await turns())[1]).toBe('2 hook a1 a2 c1 c2 m2 m3')
    await app.rebuildCaptures()
    expect((await all()).map(show)).toEqual(['1 hook m1', '2 hook a1 a2 c1 c2 m2 m3', 'null hook m3'])
  },
)

test('a command behind a rewind over many turns keeps what is known of the turn', async () => {
  await whole('one', 'm1')
  const end = await whole('two', 'm2')
  for (const name of ['m3', 'm4', 'm5', 'm6', 'm7']) await whole(name, name)
  session.rewind(end)
  for (const name of ['m3', 'm4', 'm5', 'm6', 'm7']) rmSync(join(repo, name))
  command('c1')
  await answered('a1')
  expect((await turns())[1]).toBe('2 hook a1 c1 m2')
})

test.each(['own', 'same'] as const)('a command behind "Summarize from here" belongs to the last turn (%s id)', async (id) => {
  const end = await whole('one', 'm1')
  await whole('two', 'm2')
  await whole('three', 'm3')
  session.writeSummary(end)
  command('c1', id)
  expect(await planned('3')).toContain('code_late')
  await answered('a1')
  expect(await turns()).toEqual(['1 hook m1', '2 hook m2', '3 hook a1 c1 m3'])
  expect(await planned('3')).not.toContain('code_late')
})

test('a command without an id, the first thing after a resume, belongs to the last turn', async () => {
  await whole('one', 'm1')
  await whole('two', 'm2')
  await tell(session.end())
  command('c1', 'none')
  await answered('a1')
  expect(await turns()).toEqual(['1 hook m1', '2 hook a1 c1 m2'])
})

test('an answer the transcript does not hold yet is kept apart, and said', async () => {
  await whole('one', 'm1')
  const [before] = await all()
  writeFileSync(join(repo, 'c1'), '')
  await tell(session.stop())
  session.writeCommand('touch c1', 'same')
  session.writeAnswer()
  session.writeStopped()
  expect((await all())[0]?.snapshot?.tree).toBe(before?.snapshot?.tree)
  expect(await planned('1')).toContain('code_late')
})

test.each(['the next prompt', 'the end of the session'])('a command that nobody answered is captured late by %s', async (by) => {
  await whole('one', 'm1')
  command('c1')
  expect(await turns()).toEqual(['1 hook m1'])
  expect(await planned('1')).toContain('code_late')
  if (by === 'the next prompt') await whole('two', 'm2')
  else await tell(session.end())
  expect((await turns())[0]).toBe('1 late c1 m1')
  expect((await turns()).slice(1)).toEqual(by === 'the next prompt' ? ['2 hook m2'] : [])
})

test('a command that changed nothing leaves the snapshot of the turn as it is', async () => {
  await whole('one', 'm1')
  session.writeCommand('true')
  await whole('two', 'm2')
  expect(await turns()).toEqual(['1 hook m1', '2 hook m2'])
})

test('edits between two turns without a command stay the start of the next', async () => {
  await whole('one', 'm1')
  command('c1')
  await answered('a1')
  writeFileSync(join(repo, 'by-hand'), '')
  await whole('two', 'm2')
  expect(await turns()).toEqual(['1 hook a1 c1 m1', '2 hook m2'])
})
