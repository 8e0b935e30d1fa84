// What must hold of starting a pane: its words, folder and environment arrive to the byte, and nothing of them is run or kept.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codeOf, oddities, type Panes, type TerminalFixture } from './conformance-panes.testkit.ts'

export function checkStart(panes: Panes, fixture: TerminalFixture): void {
  const { newTag, request, openProbe, waitForEnd } = panes
  it('hands over every word to the byte', async () => {
    const { told, ref } = await openProbe(oddities)
    expect(told.words).toEqual(oddities)
    await panes.terminal.close(ref)
  })
  it('hands over any words', async () => {
    const words = fc.array(
      fc.string({ unit: 'binary' }).map((word) => word.replaceAll('\0', '')),
      { minLength: 1, maxLength: 30 },
    )
    const special = fc.array(fc.string({ unit: fc.constantFrom(...';#\'"\\$`-%{}()~!* \n\t') }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(words, special, async (some, others) => {
        const { told, ref } = await openProbe([...some, ...others])
        expect(told.words).toEqual([...some, ...others])
        await panes.terminal.close(ref)
      }),
      { numRuns: fixture.fuzzRuns },
    )
  })
  it('takes any title and any folder, and runs nothing of them', async () => {
    const check = async (oddity: string) => {
      const cwd = join(panes.at.root, `in ${oddity.replaceAll('/', '')}`)
      mkdirSync(cwd)
      const { told, ref } = await openProbe([], { cwd, title: oddity })
      expect(told.cwd).toBe(cwd)
      expect((await panes.terminal.status(ref)).state).toBe('running')
      await panes.terminal.close(ref)
      expect(readdirSync(cwd)).toEqual([])
    }
    await Promise.all(oddities.map(check)) // all at once: that must work too
    expect(existsSync(join(panes.at.root, 'x'))).toBe(false)
    expect(existsSync('x')).toBe(false)
  })
  it('inherits our environment, with what is added and without what is unset', async () => {
    const { inherited, path } = fixture
    const first = await openProbe([], { env: { ODD: oddities.join('\n'), EMPTY: '', PATH: `/nowhere:${path}` } })
    expect(first.told.env).toMatchObject({
      [inherited.name]: inherited.value,
      ODD: oddities.join('\n'),
      EMPTY: '',
      PATH: `/nowhere:${path}`,
    })
    const second = await openProbe([], { unset: [inherited.name, 'NOT_THERE'] })
    expect(second.told.env).not.toHaveProperty(inherited.name)
    expect(second.told.env).not.toHaveProperty('ODD')
    expect(second.told.env.PATH).toBe(path)
    expect(second.told.env.TERM).toMatch(/./)
    await panes.terminal.close(first.ref)
    await panes.terminal.close(second.ref)
  })
  it('keeps what is secret in files of the person alone, and there only until it is read', async () => {
    const { ref } = await openProbe(['a prompt'], { env: { API_KEY: 'sesame-open' } })
    expect(statSync(ref.job).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(ref.job)) {
      expect(statSync(join(ref.job, name)).mode & 0o077, name).toBe(0)
      expect(readFileSync(join(ref.job, name), 'utf8'), name).not.toMatch(/sesame-open|a prompt/)
    }
    await panes.terminal.close(ref)
  })
  it('says so when there is no such program or folder, and leaves nothing behind', async () => {
    const tag = newTag()
    expect(await codeOf(panes.terminal.open(request({ tag, cwd: join(panes.at.root, 'nowhere') })))).toBe('unreadable')
    expect(await codeOf(panes.terminal.open(request({ tag, cwd: join(panes.at.root, 'probe.mjs') })))).toBe('unreadable')
    expect(await codeOf(panes.terminal.open(request({ tag, argv: ['offshoot-no-such-program'] })))).toBe('tool_missing')
    expect(await codeOf(panes.terminal.open(request({ tag, argv: [join(panes.at.root, 'probe.mjs')] })))).toBe('tool_missing')
    expect(await codeOf(panes.terminal.open(request({ tag, argv: [] })))).toBe('tool_missing')
    expect(await codeOf(panes.terminal.open(request({ tag, argv: ['env', 'a\0b'] })))).toBe('usage')
    expect(await codeOf(panes.terminal.open(request({ tag, env: { 'A=B': 'x' } })))).toBe('usage')
    expect(existsSync(join(panes.at.folder, tag))).toBe(false)
  })
  it('starts what only its own PATH finds', async () => {
    const folder = mkdtempSync(join(panes.at.root, 'bin-'))
    writeFileSync(join(folder, 'only-there'), '#!/bin/sh\nexit 7\n', { mode: 0o755 })
    const ref = await panes.terminal.open(request({ argv: ['only-there'], env: { PATH: `${folder}:${fixture.path}` } }))
    expect(await waitForEnd(ref)).toMatchObject({ state: 'exited', exitStatus: 7, signal: null })
    await panes.terminal.close(ref)
  })
}
