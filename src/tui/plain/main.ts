// The plain mode: a conversation in lines, for screen readers and for terminals that cannot be drawn on. The same state, actions and
// effects as on the whole screen; lines in place of keys, words in place of drawings.
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { type CoreOptions, runCore } from '../core.ts'
import { createKeyTable } from '../keys.ts'
import { createPrinter, isComing, isWorking, promptOf } from './printer.ts'
import { createLineReader } from './read-lines.ts'
import { describePlace, tellStep } from './tell.ts'
import { parseWord } from './words.ts'

export interface PlainOptions extends Omit<CoreOptions, 'keys' | 'size' | 'plain'> {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable
  readonly handOver: (argv: readonly string[], cwd: string) => Promise<number>
}

/** Longer than the lines of a paste are apart, shorter than a person notices. */
const pasteMs = 40
/** What is told one after the other comes before the prompt. */
const promptMs = 60
/** Pages and lists of the state are those of a terminal of the usual size. */
const size = { columns: 80, rows: 24 }

/** Resolves with the exit status when the person leaves, a signal says so, or the terminal is gone. */
export async function runPlain(options: PlainOptions): Promise<number> {
  const { input, output } = options
  const isTyped = input.isTTY === true
  const printer = createPrinter((text) => output.write(text))
  return await runCore({ ...options, keys: createKeyTable(), size, plain: true }, ({ store, tell, leave }) => {
    const waiting: string[] = []
    let timer: NodeJS.Timeout | null = null
    let isOver = false
    const canHear = () => !isComing(store.state) && (isTyped || !isWorking(store.state))
    const hearNext = () => {
      while (waiting.length > 0 && canHear()) tell({ kind: 'line', text: waiting.shift() ?? '' })
      if (isOver && waiting.length === 0 && canHear()) leave(0)
    }
    const settle = () => {
      timer = null
      hearNext()
      if (!isOver && !isComing(store.state) && !isWorking(store.state)) printer.prompt(promptOf(store.state))
    }
    const settleSoon = () => {
      timer ??= setTimeout(settle, promptMs)
    }
    const reader = createLineReader({
      pasteMs: isTyped ? pasteMs : null,
      onText(text) {
        // What stops or leaves waits for nothing.
        if (['stop', 'cancel', 'quit'].includes(parseWord(text)?.word ?? '')) tell({ kind: 'line', text })
        else waiting.push(text)
        hearNext()
        settleSoon()
      },
    })
    const onData = (chunk: string) => {
      if (isTyped) printer.lineEnded()
      reader.push(chunk)
    }
    const onEnd = () => {
      isOver = true
      reader.end()
      if (isTyped) leave(0)
      else settleSoon()
    }
    const onGone = () => leave(128 + constants.signals.SIGHUP)
    const listen = () => {
      input.on('data', onData)
      input.resume()
    }
    const unlisten = () => {
      input.off('data', onData)
      input.pause()
    }
    input.setEncoding('utf8')
    input.on('end', onEnd)
    input.on('error', onGone)
    output.on('error', onGone)
    const say = (...texts: string[]) => printer.print(texts.map((text) => ({ text, flows: false })))
    say('offshoot in plain lines. /help lists the words, Control D leaves.', ...describePlace(store.state))
    listen()
    return {
      onStep(before, after, event) {
        const pieces = tellStep(before, after, event)
        if (pieces.length > 0) printer.print(pieces)
        if (before !== after) settleSoon()
      },
      onSignal(signal) {
        if (signal !== 'SIGINT') return false
        printer.lineEnded()
        reader.drop()
        waiting.length = 0
        tell({ kind: 'line', text: '/stop' })
        return true
      },
      async handOver(argv, cwd) {
        unlisten()
        try {
          return await options.handOver(argv, cwd)
        } finally {
          say('Back in offshoot.')
          listen()
        }
      },
      // Sequences for the terminal mean nothing here.
      write: () => undefined,
      close() {
        if (timer !== null) clearTimeout(timer)
        reader.drop()
        unlisten()
        input.off('end', onEnd)
        printer.finish()
      },
    }
  })
}
