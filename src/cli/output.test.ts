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
