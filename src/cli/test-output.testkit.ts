// An output that keeps what is written, for tests of what commands print.
import { type Context, createContext } from './context.ts'
import { createOutput } from './output.ts'

export interface Recorded {
  readonly context: Context
  stdout(): string
  stderr(): string
}

export interface RecordOptions {
  readonly home: string
  readonly vars?: Readonly<Record<string, string>>
  readonly now?: () => number
  readonly isTerminal?: boolean
}

export function recordContext({ home, vars = {}, now = () => 0, isTerminal = false }: RecordOptions): Recorded {
  const written = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    isTTY: isTerminal,
    columns: 80,
    write(text: string | Uint8Array) {
      written[name] += String(text)
      return true
    },
    once: () => undefined,
  })
  const context = createContext({ home, vars, cwd: home, now, out: createOutput(stream('out'), stream('err'), vars) })
  return {
    context,
    stdout() {
      context.out.flush()
      return written.out
    },
    stderr: () => written.err,
  }
}
