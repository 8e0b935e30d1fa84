import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { captureContext } from '../../test/capture/capture.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from '../../test/capture/session.ts'
import { tellHere } from '../../test/capture/tell.ts'
import { createSandbox, type Sandbox } from '../../test/fork/sandbox.ts'
import type { CodeMoment } from '../model/capture.ts'
import { codeAt } from './code-at.ts'
import type { CaptureContext } from './context.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let context: CaptureContext
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  context = captureContext(sandbox)
})
afterEach(() => sandbox.close())

const write = (text: string) => writeFileSync(join(repo, 'a'), text)
const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)

const turn = (text: string) => playTurn(tell, session, text, () => write(text))

/** How it was kept, and what the file held. */
async function at(moment: CodeMoment): Promise<string | null> {
  await context.catalog.refresh()
  const [found] = await context.catalog.listSessions()
  if (found === undefined) throw new Error('no session')
  const code = await codeAt(context, found, moment)
  return code && `${code.kind} ${sandbox.git(repo, 'cat-file', '-p', `${code.tree}:a`)}`
}

describe('the code at a turn', () => {
  it('is what it left, what its prompt found, and before the first what was there', async () => {
    write('zero')
    const one = await turn('one')
    const two = await turn('two')
    write('by hand')
    const three = await turn('three')
    expect(await at({ turnId: one, moment: 'end' })).toBe('snapshot one')
    expect(await at({ turnId: two, moment: 'end' })).toBe('snapshot two')
    expect(await at({ turnId: one, moment: 'start' })).toBe('snapshot zero')
    expect(await at({ turnId: two, moment: 'start' })).toBe('snapshot one')
    expect(await at({ turnId: three, moment: 'start' })).toBe('snapshot by hand')
    expect(await at({ turnId: null, moment: 'start' })).toBe('snapshot zero')
    expect(await at({ turnId: 'unheard-of', moment: 'end' })).toBeNull()
  })

  it('after a rewind is that of the turn no longer before it', async () => {
    write('zero')
    await turn('one')
    session.rewind()
    const other = await turn('other')
    expect(await at({ turnId: other, moment: 'start' })).toBe('snapshot one')
  })

  it('says so where it was captured late', async () => {
    write('zero')
    await tell(session.prompt('one'))
    const one = session.writePrompt()
    write('one')
    await turn('two')
    expect(await at({ turnId: one, moment: 'end' })).toBe('late one')
  })

  it('rather has what the watcher took at the moment than what came late', async () => {
    write('zero')
    const id = await turn('one')
    await context.catalog.refresh()
    await at({ turnId: id, moment: 'end' })
    const { captures } = context.store()
    const [row] = captures.ofTurn('claude', id).filter(({ moment }) => moment === 'end')
    if (row === undefined) throw new Error('no row')
    captures.put({ ...row, by: 'late' })
    captures.put({ ...row, turnKey: 'by-watcher', by: 'watcher' })
    expect(await at({ turnId: id, moment: 'end' })).toBe('snapshot one')
  })
})
