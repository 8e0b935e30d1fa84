// One question with a yes or no. A whole line is read: a stray Enter after a single key would go to the agent that opens next.
import { createInterface } from 'node:readline'
import type { Terminal } from '../terminal.ts'

/** Anything but `y` or `yes` is a no; so are Ctrl-C and Ctrl-D. */
export function askYesNo({ input, output }: Terminal, question: string): Promise<boolean> {
  return new Promise((resolve) => {
    const lines = createInterface({ input, output, terminal: true, historySize: 0 })
    let answer = ''
    lines.on('close', () => resolve(/^y(es)?$/i.test(answer.trim())))
    lines.on('SIGINT', () => {
      output.write('\n')
      lines.close()
    })
    lines.question(`${question} [y/N] `, (line) => {
      answer = line
      lines.close()
    })
  })
}
