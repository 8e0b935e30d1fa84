import { expect, test } from 'vitest'
import { recordContext } from './test-output.testkit.ts'

// DEL, C1 controls (CSI and OSC of 8-bit terminals) and marks that reorder text.
const hostile = ['\u007f', '\u0085', '\u009b31m', '\u009d0;title\u009c', '\u202egnp', '\u2066']

test.each([false, true])('a document is JSON without control characters (on a terminal: %s)', (isTerminal) => {
  const { context, stdout } = recordContext({ home: '/home/nobody', isTerminal })
  const document = { [`key ${hostile.join(' ')}`]: hostile }
  void context.out.json(document)
  expect(stdout().replace(/\n/g, '')).toMatch(/^[ -~]+$/)
  expect(JSON.parse(stdout())).toEqual(document)
})

test.each([false, true])('a line shows colours and nothing else a terminal acts on (on a terminal: %s)', (isTerminal) => {
  const { context, stdout, stderr } = recordContext({ home: '/home/nobody', isTerminal })
  const text = `model ${hostile.join(' ')}\u001b]52;c;cHduZWQ=\u0007\u001b[2J\u001bc\u0008\u2028end`
  void context.out.line(`${context.out.colors.bold('agent')} ${text}`)
  context.out.note(`${context.out.noteColors.red('error:')} ${text}`)
  for (const shown of [stdout(), stderr()]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    expect(shown.replace(/\u001b\[[0-9;]*m/g, '')).not.toMatch(/[^\n -~\ufffd␀-␡]/)
    expect(shown).toContain('end')
  }
})
