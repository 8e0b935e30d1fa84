// The suite every terminal with panes must pass. It knows the contract of terminal.ts and nothing of any terminal: what arrives
// in a pane is told by a small program that runs in it.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../lib/is-alive.ts'
import { checkInput } from './conformance-input.testkit.ts'
import { codeOf, setUpPanes, type TerminalFixture } from './conformance-panes.testkit.ts'
import { checkStart } from './conformance-start.testkit.ts'
import { findPane } from './find-pane.ts'
import type { PaneRef } from './terminal.ts'
import { until } from './until.testkit.ts'

export function runTerminalConformance(fixture: TerminalFixture): void {
  const panes = setUpPanes(fixture)
  const { request, openProbe, waitForEnd } = panes

  it('can be used', async () => {
    expect(await panes.terminal.probe()).toMatchObject({ installed: true, problem: null })
  })

  describe('what a pane is started with', () => checkStart(panes, fixture))

  describe('what becomes of it', () => {
    it('tells the pid of the agent itself while it runs', async () => {
      const { ref, told } = await openProbe()
      expect(await panes.terminal.status(ref)).toMatchObject({
        state: 'running',
        pid: told.pid,
        exitStatus: null,
        signal: null,
        inputBlocked: false,
      })
      await panes.terminal.close(ref)
    })
    it('tells the exit status, also of one that ends at once', async () => {
      for (const status of [0, 3]) {
        const ref = await panes.terminal.open(request({ argv: [process.execPath, '-e', `process.exit(${status})`] }))
        expect(await waitForEnd(ref)).toMatchObject({ state: 'exited', exitStatus: status, signal: null })
        await panes.terminal.close(ref)
      }
    })
    it('tells the signal that ended it', async () => {
      const { ref, told } = await openProbe()
      process.kill(told.pid, 'SIGKILL')
      expect(await waitForEnd(ref)).toMatchObject({ state: 'exited', exitStatus: null, signal: 'SIGKILL' })
      await panes.terminal.close(ref)
    })
    it('is found again by who knows only its reference', async () => {
      const { ref, input } = await openProbe()
      const [later, same] = [fixture.create(panes.at), JSON.parse(JSON.stringify(ref)) as PaneRef]
      expect((await later.status(same)).state).toBe('running')
      await later.paste(same, 'still there')
      await until('the text', () => input().includes('still there'))
      await later.close(same)
      expect((await panes.terminal.status(ref)).state).toBe('exited')
    })
    it('is found again by who knows only its tag', async () => {
      const { ref } = await openProbe()
      expect(await findPane(panes.at.folder, fixture.create(panes.at), ref.tag, 0)).toEqual(ref)
      await panes.terminal.close(ref)
    })
    it('ends the agent when it is closed, and can be closed again', async () => {
      const { ref, told } = await openProbe()
      await panes.terminal.close(ref)
      await until('the agent to end', () => !isAlive(told.pid))
      expect(await waitForEnd(ref)).toMatchObject({ state: 'exited' })
      await panes.terminal.close(ref)
    })
  })

  describe('what is sent to it', () => checkInput(panes))

  it('shows the screen and the title', async () => {
    const { ref } = await openProbe()
    const screen = await until('the screen', async () =>
      [await panes.terminal.read(ref)].find(({ lines }) => lines.includes('READY')),
    )
    expect(screen.title).toBe('probe title')
    await panes.terminal.close(ref)
  })

  describe('a pane that is not there', () => {
    it('is refused when it was closed', async () => {
      const { ref } = await openProbe()
      await panes.terminal.close(ref)
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(panes.terminal.paste(ref, 'x')))
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(panes.terminal.key(ref, 'enter')))
      expect(await codeOf(panes.terminal.read(ref))).toBe('pane_gone')
      expect(await codeOf(panes.terminal.focus(ref))).toBe('pane_gone')
    })
    it('is gone when there never was such a one', async () => {
      const { ref } = await openProbe()
      const job = join(panes.at.root, 'no-job')
      const others = ['%7', '%99999', '99999', 'no such id', '%0 ; kill-server', ''].map((id) => ({ ...ref, id, job }))
      for (const other of others) {
        expect((await panes.terminal.status(other)).state, other.id).toBe('gone')
        expect(await codeOf(panes.terminal.paste(other, 'x')), other.id).toBe('pane_gone')
        expect(await codeOf(panes.terminal.key(other, 'enter'))).toBe('pane_gone')
        expect(await codeOf(panes.terminal.read(other))).toBe('pane_gone')
        await panes.terminal.close(other)
      }
      expect((await panes.terminal.status(ref)).state).toBe('running')
      await panes.terminal.close(ref)
    })
    it('is refused when what ran in it has ended, and the others live on', async () => {
      const [ended, other] = [await openProbe(['3']), await openProbe()]
      await panes.terminal.paste(ended.ref, 'bye')
      process.kill(ended.told.pid, 'SIGKILL')
      await waitForEnd(ended.ref)
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(panes.terminal.paste(ended.ref, 'x')))
      expect(['pane_gone', 'worker_ended']).toContain(await codeOf(panes.terminal.key(ended.ref, 'enter')))
      expect((await panes.terminal.status(other.ref)).state).toBe('running')
      await panes.terminal.close(ended.ref)
      await panes.terminal.close(other.ref)
    })
  })
}
