// One question with a yes or no, or with a line of words. A whole line is read: a stray Enter after a single key would go to the
// agent that opens next.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Terminal } from '../terminal.ts'

/** Anything but `y` or `yes` is a no; so are Ctrl-C and Ctrl-D. */
export async function askYesNo(terminal: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(((await askLine(terminal, `${question} [y/N] `)) ?? '').trim())
}

/** `null`: Ctrl-C or Ctrl-D. `isSecret`: what is typed is not shown. */
export function askLine({ input, output }: Terminal, prompt: string, isSecret = false): Promise<string | null> {
  return new Promise((resolve) => {
    const hidden = () => new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input, output: isSecret ? hidden() : output, terminal: true, historySize: 0 })
    let answer: string | null = null
    lines.on('close', () => resolve(answer))
    lines.on('SIGINT', () => {
      output.write('\n')
      lines.close()
    })
    if (isSecret) output.write(prompt)
    lines.question(isSecret ? '' : prompt, (line) => {
      if (isSecret) output.write('\n')
      answer = line
      lines.close()
    })
  })
}
