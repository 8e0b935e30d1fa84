// What must hold of sending to a pane: pasted text arrives whole, as one paste that it cannot break out of.
import { expect, it } from 'vitest'
import { codeOf, oddities, type Panes } from './conformance-panes.testkit.ts'
import { until } from './until.testkit.ts'

export function checkInput(panes: Panes): void {
  const { openProbe } = panes
  const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`
  /** As typed by a person's terminal: a paste's line ends may be CR. */
  const normal = (text: string) => text.replaceAll('\r', '\n')

  it('arrives as one paste, without being submitted', async () => {
    const { ref, input } = await openProbe()
    const text = oddities.filter((oddity) => !oddity.includes('\u001b')).join('\n')
    await panes.terminal.paste(ref, text)
    await until('the paste', () => normal(input()) === pasted(text))
    await panes.terminal.close(ref)
  })
  it('cannot break out of the paste', async () => {
    const { ref, input } = await openProbe()
    await panes.terminal.paste(ref, 'one\u001b[201~two\u0003\u0004\u009b201~three\r\nfour\u007f')
    await until('the paste', () => normal(input()) === pasted('one[201~two201~three\nfour'))
    await panes.terminal.close(ref)
  })
  it('arrives whole when it is 100 KB long', async () => {
    const { ref, input } = await openProbe()
    const text = Array.from({ length: 2000 }, (_, line) => `${line} ${'🌱é'.repeat(10)}`).join('\n')
    expect(Buffer.byteLength(text)).toBeGreaterThan(100_000)
    await panes.terminal.paste(ref, text)
    await until('the paste', () => input().endsWith('\u001b[201~'))
    expect(normal(input()) === pasted(text)).toBe(true)
    await panes.terminal.close(ref)
  })
  it('is refused when it is far too long, and nothing is sent for nothing', async () => {
    const { ref, input } = await openProbe()
    expect(await codeOf(panes.terminal.paste(ref, 'x'.repeat(1_100_000)))).toBe('too_large')
    await panes.terminal.paste(ref, '')
    await panes.terminal.paste(ref, '\u001b')
    await panes.terminal.key(ref, 'ctrl-u')
    await until('the key', () => input() !== '')
    expect(input()).toBe('\u0015')
    await panes.terminal.close(ref)
  })
  it('can be a key', async () => {
    const { ref, input } = await openProbe()
    for (const key of ['enter', 'ctrl-c', 'ctrl-u', 'escape'] as const) await panes.terminal.key(ref, key)
    await until('the keys', () => input() === '\r\u0003\u0015\u001b')
    await panes.terminal.close(ref)
  })
}
