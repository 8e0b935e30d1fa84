// The terminal itself: the alternate screen, mouse and bracketed paste on, and all of it off again on every way out, a crash
// included. The agent's own UI may have it for a while.
import type { ReadStream, WriteStream } from 'node:tty'
import { createDecoder, type Input } from './input.ts'

// No wrapping at the edge (7): a character that is wider than we think must not push the rows below it down.
const enter = '\u001b[?1049h\u001b[?7l\u001b[?25l\u001b[?2004h\u001b[?1000h\u001b[?1006h\u001b[2J'
const leave = '\u001b[0m\u001b[?1006l\u001b[?1000l\u001b[?2004l\u001b[?25h\u001b[?7h\u001b[?1049l'
/** Longer than the pieces of one sequence are apart, shorter than a person notices. */
const escapeMs = 25

export interface Screen {
  /** False while another program has the terminal, and after it was closed. */
  readonly isOpen: boolean
  /** Stops reading and shows the shell's screen again; gives what takes it back. */
  lend(): () => void
  close(): void
}

export interface ScreenOptions {
  readonly input: ReadStream
  readonly output: WriteStream
  readonly onInput: (input: Input) => void
  readonly onResize: () => void
  /** The terminal was closed: there is nobody to show anything to. */
  readonly onGone: () => void
}

export function openScreen({ input, output, onInput, onResize, onGone }: ScreenOptions): Screen {
  let decoder = createDecoder()
  let timer: NodeJS.Timeout | null = null
  let isOpen = false
  let isGone = false
  const hear = (inputs: readonly Input[]) => {
    for (const each of inputs) if (isOpen) onInput(each)
  }
  const onData = (chunk: string) => {
    if (timer !== null) clearTimeout(timer)
    hear(decoder.push(chunk))
    timer = decoder.isWaiting ? setTimeout(() => hear(decoder.flush()), escapeMs) : null
  }
  const gone = () => {
    isGone = true
    onGone()
  }
  const open = () => {
    if (isGone) return
    isOpen = true
    decoder = createDecoder()
    input.setEncoding('utf8')
    input.setRawMode(true)
    input.on('data', onData)
    input.resume()
    output.write(enter)
  }
  const shut = () => {
    if (!isOpen) return
    isOpen = false
    if (timer !== null) clearTimeout(timer)
    input.off('data', onData)
    input.pause()
    // A terminal that is gone can be neither written to nor set back; there is nothing left to restore.
    if (isGone || output.destroyed || input.destroyed) return
    output.write(leave)
    input.setRawMode(false)
  }
  output.on('resize', onResize)
  input.on('end', gone)
  input.on('error', gone)
  output.on('error', gone)
  process.on('exit', shut)
  open()
  return {
    get isOpen() {
      return isOpen && !isGone
    },
    lend() {
      shut()
      return open
    },
    close() {
      shut()
      output.off('resize', onResize)
      input.off('end', gone)
      process.off('exit', shut)
      // The listeners for errors stay: what was written last may fail only now.
    },
  }
}
